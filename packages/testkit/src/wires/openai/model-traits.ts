/** The service's own families; everything else is an unknown model. */
export function isOpenAiModel(model: string): boolean {
  return /^(?:gpt-|o\d|chatgpt-|ft:)/.test(model);
}

/** Models that think before they answer: no sampling parameters, `max_completion_tokens`, encrypted reasoning. */
export function isReasoningModel(model: string): boolean {
  return /^(?:o\d(?:-|$)|gpt-(?:[5-9]|\d\d))/.test(model) && !/^gpt-\d+-chat/.test(model);
}

export function modelList(models: readonly string[], owner = "system"): Record<string, unknown> {
  return {
    object: "list",
    data: models.map((id) => ({ id, object: "model", created: 1_735_689_600, owned_by: owner })),
  };
}

export function bearerKey(authorization: string | undefined): string | undefined {
  return /^Bearer\s+(.*)$/i.exec(authorization ?? "")?.[1]?.trim();
}
