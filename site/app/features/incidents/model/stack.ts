import type { ReportedErrorJson, ReportedExceptionJson, StackFrameJson } from '@nightbell/proto';

/** Calls of the program's own code one by one, those of libraries between them folded into one part. */
export interface StackPart {
  folded: boolean;
  frames: readonly StackFrameJson[];
}

// Of a stack without own code the first calls say where it was raised.
const withoutOwn = 3;

/** The calls of a stack in order, by what is shown and what is folded. */
export function partsOf(frames: readonly StackFrameJson[]): StackPart[] {
  const own = frames.some((frame) => frame.in_app);
  const parts: { folded: boolean; frames: StackFrameJson[] }[] = [];
  frames.forEach((frame, place) => {
    const folded = own ? !frame.in_app : place >= withoutOwn;
    const last = parts.at(-1);
    if (last && last.folded === folded) last.frames.push(frame);
    else parts.push({ folded, frames: [frame] });
  });
  return parts;
}

/** Where a call stands: file:line:column, as editors take it. */
export function placeOf({ file, line, column }: StackFrameJson): string {
  return [file, line, line && column].filter(Boolean).join(':');
}

/** What an error is called: its type and the first line of its message. */
export function headOf({ type, message }: ReportedExceptionJson): string {
  return [type, message].filter(Boolean).join(': ') || 'Error';
}

/** The name of what was called, with its module if that says more than the file. */
export function callOf({ function: name, module }: StackFrameJson): string {
  return [module, name ?? (module ? '' : '(anonymous)')].filter(Boolean).join('.');
}

/** An error with its causes as text, to be pasted elsewhere. */
export function stackText({ exceptions = [] }: ReportedErrorJson): string {
  return exceptions
    .flatMap((exception, depth) => [
      `${depth > 0 ? 'Caused by: ' : ''}${headOf(exception)}`,
      ...(exception.frames ?? []).map((frame) => `    at ${callOf(frame)} (${placeOf(frame)})`),
    ])
    .join('\n');
}

/** The lines of source around a call with their numbers, as far as they were sent. */
export function sourceOf(frame: StackFrameJson): { number: number; text: string; here: boolean }[] {
  const { pre = [], code, post = [], line = 0 } = frame;
  if (code === undefined) return [];
  return [...pre, code, ...post].map((text, place) => ({
    number: line - pre.length + place,
    text,
    here: place === pre.length,
  }));
}
