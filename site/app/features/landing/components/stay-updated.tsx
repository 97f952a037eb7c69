import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import * as fieldKit from '~/components/ui/field.module.css';
import { company } from '~/lib/company';
import * as styles from './stay-updated.module.css';

/**
 * The Stay Updated box. There is no mailing list behind it yet, so it says so, keeps the address
 * to itself and names what can be followed today.
 */
export function StayUpdated() {
  const [asked, setAsked] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
  };
  return (
    <div className={styles.stayUpdated}>
      <h2>Stay Updated</h2>
      <p>What we shipped, what broke, what we learned.</p>
      <form onSubmit={submit}>
        <label className={fieldKit.field}>
          <span className="visually-hidden">Email</span>
          <input type="email" required placeholder="you@company.com" autoComplete="email" />
        </label>
        <Button type="submit">Subscribe</Button>
      </form>
      <p role="status">
        {asked && (
          <>
            The letter does not go out yet and your address was not sent anywhere. Releases are announced in
            the <a href={`${company.repository}/releases.atom`}>release feed</a>.
          </>
        )}
      </p>
    </div>
  );
}
