import errorCodes from '~/features/docs/error-codes.json';
import { PublicPage } from '~/features/landing/components/public-page';
import '~/features/landing/landing.css';

export function meta() {
  return [
    { title: 'Errors - Nightbell' },
    { name: 'description', content: 'Every error code of the Nightbell API, and what to do about it.' },
  ];
}

/** Where `help` of every error leads: the generated table of all codes. */
export default function DocsErrors() {
  return (
    <PublicPage
      title="Errors"
      lede="Every refusal of the API is {code, message, details, request_id, help}. Programs decide by the code; the message says to people what to do."
    >
      <p>
        Each of the details names a field with a code of its own: required, unknown, too_long, out_of_range,
        not_one_of, bad_format or not_found. Treat a code that is not listed here by its HTTP status.
      </p>
      {errorCodes.map(({ code, status, again, messages }) => (
        <section key={code}>
          <h2 id={code} className="mono">
            {code}
          </h2>
          {messages.map((message) => (
            <p key={message}>{message}</p>
          ))}
          <p>
            HTTP status {status}.{' '}
            {again ? 'The same request can be sent again, after Retry-After.' : 'Change the request first.'}
          </p>
        </section>
      ))}
    </PublicPage>
  );
}
