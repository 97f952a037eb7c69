import { builtin } from './builtin.js';
import type { Frame } from './event.js';

const line = /^\s*at (?:async )?(?:(.+?) \()?(?:(.+):(\d+):(\d+)|(native|<anonymous>))\)?$/;
const linesAround = 5;
const mostWidth = 200;
const framesWithSource = 10;
const mostFiles = 50;
const mostFileBytes = 1 << 20;

/** The frames of V8's text of a stack. The first one is where the error was raised. */
export function framesOf(stack: string, message: string): Frame[] {
  const start = message ? stack.indexOf(message) : -1;
  const text = start < 0 ? stack : stack.slice(start + message.length); // a message may look like frames
  const frames: Frame[] = [];
  for (const given of text.split('\n')) {
    const match = line.exec(given);
    if (match) frames.push(frameOf(match));
  }
  let left = framesWithSource;
  for (const frame of frames) if (frame.in_app && left-- > 0) addSource(frame);
  return frames;
}

function frameOf([, name, place, row, column]: RegExpExecArray): Frame {
  const file = place === undefined ? undefined : pathOf(place);
  const frame: Frame = { function: functionName(name) };
  if (file === undefined) return frame;
  frame.file = file;
  frame.line = Number(row);
  frame.column = Number(column);
  frame.in_app = isOwn(file);
  const module = moduleOf(file);
  if (module) frame.module = module;
  return frame;
}

const functionName = (name: string | undefined): string =>
  name?.replace(/ \[as .*\]$/, '').replace(/^Object\.<anonymous>$/, '<anonymous>') ?? '<anonymous>';

function pathOf(place: string): string {
  if (!place.startsWith('file://')) return place;
  try {
    return decodeURIComponent(new URL(place).pathname).replace(/^\/(?=[A-Za-z]:)/, '');
  } catch {
    return place;
  }
}

const isOwn = (file: string): boolean =>
  /^([/\\]|[A-Za-z]:|webpack)/.test(file) && !/[/\\]node_modules[/\\]/.test(file);

/** The package, the module of Node, or the path from the working directory: the same wherever a release lies. */
function moduleOf(file: string): string | undefined {
  if (file.startsWith('node:')) return file;
  const inside = /^.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1];
  if (inside) return inside.replaceAll('\\', '/');
  const root = process.cwd();
  if (!file.startsWith(root)) return undefined;
  return file
    .slice(root.length)
    .replaceAll('\\', '/')
    .replace(/^\//, '')
    .replace(/\.[cm]?[jt]sx?$/, '');
}

const sources = new Map<string, string[] | undefined>();

function addSource(frame: Frame): void {
  const lines = frame.file ? sourceOf(frame.file) : undefined;
  const at = (frame.line ?? 0) - 1;
  const code = lines?.[at];
  if (!lines || code === undefined) return;
  const short = (text: string): string => text.slice(0, mostWidth);
  frame.code = short(code);
  frame.pre = lines.slice(Math.max(at - linesAround, 0), at).map(short);
  frame.post = lines.slice(at + 1, at + 1 + linesAround).map(short);
}

/** The lines of a file. A file is read once. */
function sourceOf(file: string): string[] | undefined {
  if (sources.has(file)) return sources.get(file);
  let lines: string[] | undefined;
  try {
    const fs = builtin('fs');
    if (fs.statSync(file).size <= mostFileBytes) lines = fs.readFileSync(file, 'utf8').split('\n');
  } catch {
    // The source is not shipped.
  }
  if (sources.size >= mostFiles) sources.clear();
  sources.set(file, lines);
  return lines;
}
