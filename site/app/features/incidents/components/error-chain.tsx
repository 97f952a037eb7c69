import type { ReportedErrorJson, ReportedExceptionJson, StackFrameJson } from '@nightbell/proto';
import { callOf, partsOf, placeOf, sourceOf } from '../model/stack';
import * as styles from './report-card.module.css';

/** An error and below it what caused it, each with its calls, the innermost first. */
export function ErrorChain({ error }: { error: ReportedErrorJson }) {
  return (
    <ol className={styles.chain}>
      {error.exceptions?.map((exception, depth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the depth is what names a cause.
        <li key={depth}>
          {depth > 0 && <p className={styles.cause}>Caused by</p>}
          <ErrorHead exception={exception} />
          <Stack
            frames={exception.frames ?? []}
            open={depth === 0 || depth + 1 === error.exceptions?.length}
          />
        </li>
      ))}
    </ol>
  );
}

// Of longer messages, such as those that quote a page of a proxy, the beginning is shown.
const readAtOnce = 600;

function ErrorHead({ exception: { type, message } }: { exception: ReportedExceptionJson }) {
  return (
    <>
      <h3 className="mono">{type ?? 'Error'}</h3>
      {message && message.length <= readAtOnce && <p className={styles.message}>{message}</p>}
      {message && message.length > readAtOnce && (
        <details>
          <summary>
            <span className={styles.message}>{message.slice(0, readAtOnce / 2)}…</span>
          </summary>
          <p className={styles.message}>{message}</p>
        </details>
      )}
    </>
  );
}

// The source of the innermost own call is what a reader wants first, of the error and of the first cause.
function Stack({ frames, open }: { frames: readonly StackFrameJson[]; open: boolean }) {
  const own = frames.some((frame) => frame.in_app);
  const opened = open ? frames.find((frame) => frame.code && (frame.in_app || !own)) : undefined;
  return (
    <ol className={styles.frames}>
      {partsOf(frames).map(({ folded, frames: part }, place) =>
        folded ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing else that names them.
          <li key={place}>
            <details className={styles.folded}>
              <summary>
                {part.length === 1 ? '1 call' : `${part.length} calls`} {own ? 'in libraries' : 'more'}
              </summary>
              <ol>
                <Frames frames={part} opened={opened} />
              </ol>
            </details>
          </li>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Frames key={place} frames={part} opened={opened} />
        ),
      )}
    </ol>
  );
}

function Frames({ frames, opened }: { frames: readonly StackFrameJson[]; opened?: StackFrameJson }) {
  return frames.map((frame, place) => {
    const source = sourceOf(frame);
    const line = (
      <>
        <span className={styles.call}>
          {callOf(frame)}
          {frame.in_app && <span className="visually-hidden"> (your code)</span>}
        </span>{' '}
        <span className={styles.place}>{placeOf(frame)}</span>
      </>
    );
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: recursion repeats the very same call.
      <li key={place} className={frame.in_app ? `${styles.frame} ${styles.own}` : styles.frame}>
        {source.length === 0 && <p>{line}</p>}
        {source.length > 0 && (
          <details open={frame === opened}>
            <summary>{line}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
            <pre tabIndex={0}>
              {source.map(({ number, text, here }) => (
                <span key={number} className={here ? styles.here : undefined}>
                  <span className={styles.number}>{number > 0 ? number : ''}</span>
                  {text}
                  {'\n'}
                </span>
              ))}
            </pre>
          </details>
        )}
      </li>
    );
  });
}
