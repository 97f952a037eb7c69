import { Avatar } from '~/components/ui/avatar';
import * as cardKit from '~/components/ui/card.module.css';
import * as landingStyles from '../landing.module.css';
import { quotes } from '../sample/words';
import * as styles from './testimonials.module.css';

/** Three quotes and what reviewers say in numbers. */
export function Testimonials() {
  return (
    <section className={landingStyles.band} id="about">
      <div className={landingStyles.wrap}>
        <h2>People who sleep through it now</h2>
        <p className={styles.rating}>
          <span>
            <b>4.9/5</b> from 200+ reviews
          </span>
          <span>
            <b>500+</b> teams
          </span>
          <span>
            <b>Under 2 min</b> average response
          </span>
        </p>
        <div className={styles.quotes}>
          {quotes.map(({ text, name, role, hue }) => (
            <figure key={name} className={cardKit.card}>
              <blockquote>{text}</blockquote>
              <figcaption>
                <Avatar name={name} hue={hue} large />
                <span className="strong">{name}</span>
                <span className="text-3">{role}</span>
              </figcaption>
            </figure>
          ))}
        </div>
      </div>
    </section>
  );
}
