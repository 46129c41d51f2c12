import { expect, it } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { OPERATION_LIST } from "../../src/operations/operation-table.ts";

it.each(OPERATION_LIST.map(({ name }) => name))(
  "a mistake in the params of %s is told with its place, and is no fault of the program",
  async (operation) => {
    await using facade = new AcpLocalFacade();
    const { error } = await facade.dispatch({ operation, params: { no_such: 1 } });
    expect(error).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(error?.details["issues"]).toContainEqual({ path: ["no_such"], message: "unknown key" });
  },
);

it("every param is checked for its kind", async () => {
  await using facade = new AcpLocalFacade();
  for (const { name, params } of OPERATION_LIST) {
    const shape = (params as unknown as { readonly shape: object }).shape;
    for (const key of Object.keys(shape)) {
      // No param of any operation is a list of nothing.
      const request = { operation: name, params: { [key]: [null] } };
      const { error } = await facade.dispatch(request);
      expect(error?.code, `${name} ${key}`).toBe("VALIDATION_ERROR");
      const issues = (error?.details["issues"] ?? []) as { path: (string | number)[] }[];
      const paths = issues.map(({ path }) => path[0]);
      expect(paths, `${name} ${key}`).toContain(key);
    }
  }
});
