/**
 * Every object has a property of this name. Provider packages look names of functions up in plain objects, find that property
 * instead of nothing, and send a call without a name, which services refuse.
 */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype;
}
