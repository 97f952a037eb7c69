import { read } from '../repository';

interface ErrorCode {
  code: string;
  status: number;
  again: boolean;
  messages: string[];
}

/** A section for each code of the server's table, so that the `help` of its answer has an anchor. */
export function errors(): string {
  const codes: ErrorCode[] = JSON.parse(read('site/app/features/docs/error-codes.json'));
  return codes
    .map(({ code, status, again, messages }) => {
      const next = again ? 'Send the same request again, after Retry-After.' : 'Change the request first.';
      return [
        `### \`${code}\` [#${code}]`,
        ...messages.map((message) => `> ${safe(message)}`),
        `HTTP ${status}. ${next}`,
      ].join('\n\n');
    })
    .join('\n\n');
}

/** Text that Markdown takes as it is. */
export function safe(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/g, '\\$&');
}
