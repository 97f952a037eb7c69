/** What stops the build: a sentence that begins with the file and the line at fault. */
export class DocsFault extends Error {
  constructor(file: string, line: number | undefined, message: string) {
    super(`${file}:${line ?? 1}: ${message}`);
    this.name = 'DocsFault';
  }
}
