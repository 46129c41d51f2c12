export function isGoogleModel(model: string): boolean {
  return /^(?:gemini|gemma|learnlm)-/.test(model);
}

/** Since Gemini 3: call ids, required thought signatures, tools together with JSON answers. */
export function isGemini3(model: string): boolean {
  return model.startsWith("gemini-") && !/^gemini-(?:1|2)[.-]|^gemini-pro$/.test(model);
}
