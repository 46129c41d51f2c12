// Adding a name here makes it public. Models for tests and demos: no provider is asked.
export { type ModelScript, type ScriptStep, type ScriptSteps } from "./script.ts";
export { createScriptedModel, type ScriptedModel } from "./scripted-model.ts";
