import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { caseText } from "../../../src/roles/recall/case-text.ts";
import { withAnswer } from "../../../src/text/answer-line.ts";

/** A book of recall lessons, one per question and answer. */
export function bookOf(
  ...lessons: readonly (readonly [question: string, answer: string])[]
): Skillbook {
  const book = new Skillbook();
  addLessons(book, lessons);
  return book;
}

export function addLessons(
  book: Skillbook,
  lessons: readonly (readonly [question: string, answer: string])[],
): void {
  const report = book.apply(
    lessons.map(([question, answer]) => ({
      type: "ADD",
      section: "cases",
      content: withAnswer(caseText(question), answer),
    })),
  );
  if (report.skipped.length > 0) throw new Error(JSON.stringify(report.skipped));
}
