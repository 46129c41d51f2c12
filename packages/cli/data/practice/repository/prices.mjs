/** 12.00 a person; 9.50 a person for ten people or more. */
export function groupPrice(people) {
  const each = people > 10 ? 9.5 : 12;
  return people * each;
}
