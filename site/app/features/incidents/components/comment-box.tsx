import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { Submit } from '~/components/ui/submit';
import { useAddComment } from '~/data/incident-changes';
import * as styles from './comment-box.module.css';

/** Posts a comment to the timeline. Blank text is ignored; what failed to post stays in the box. */
export function CommentBox({ id }: { id: string }) {
  const [text, setText] = useState('');
  const add = useAddComment(id);
  const field = useId();
  const post = () => {
    if (text.trim() === '' || add.isPending) return;
    add.mutate(text.trim(), { onSuccess: () => setText('') });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    post();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) post();
  };
  return (
    <form className={styles.commentBox} onSubmit={submit}>
      <div>
        <label className="visually-hidden" htmlFor={field}>
          Add a comment
        </label>
        <textarea
          id={field}
          rows={2}
          placeholder="What do you see? Everyone on this incident reads it."
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
        />
        <Submit size="sm" pending={add.isPending} doing="Posting...">
          Post
        </Submit>
      </div>
    </form>
  );
}
