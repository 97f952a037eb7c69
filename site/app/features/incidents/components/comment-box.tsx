import { type FormEvent, type KeyboardEvent, useId } from 'react';
import { Submit } from '~/components/ui/submit';
import { useAddComment } from '~/data/comments';
import { halfWritten, keyOfHalfWritten, useHalfWritten } from '~/lib/half-written';
import { useKeptFocus } from '~/lib/kept-focus';
import * as styles from './comment-box.module.css';

/**
 * Posts a comment to the timeline. Blank text is ignored; what failed to post stays in the box, and what was
 * half written is there again after another incident, a reload or a session that ended.
 */
export function CommentBox({ id }: { id: string }) {
  const what = `comment ${id}`;
  const [text, write] = useHalfWritten(what);
  const add = useAddComment(id);
  const place = useKeptFocus<HTMLFormElement>(add.isPending);
  const field = useId();
  const post = () => {
    if (text.trim() === '' || add.isPending) return;
    // A promise, because the page may be left before the answer: what was posted is not kept for it.
    add.mutateAsync({ message: text.trim(), key: keyOfHalfWritten(what) }).then(
      () => halfWritten(what) === text && write(''),
      () => {}, // said by a toast
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    post();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) post();
  };
  return (
    <form ref={place} className={styles.commentBox} onSubmit={submit}>
      <div>
        <label className="visually-hidden" htmlFor={field}>
          Add a comment
        </label>
        <textarea
          id={field}
          rows={2}
          placeholder="What do you see? Everyone on this incident reads it."
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKey}
        />
        <Submit size="sm" pending={add.isPending} doing="Posting...">
          Post
        </Submit>
      </div>
    </form>
  );
}
