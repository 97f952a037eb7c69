import { Button } from '~/components/ui/button';
import { Dialog } from '~/components/ui/dialog';
import { Kbd } from '~/components/ui/kbd';
import { type KeySection, useKeyActions, useSingleKeys } from '~/lib/keys';
import * as styles from './keys-dialog.module.css';

const sections: readonly KeySection[] = ['Everywhere', 'In a list', 'On an incident'];
const always = [{ keys: 'Ctrl K', word: 'Find anything', section: 'Everywhere' }] as const;

/** Every key of the page below, as it is bound there, and the switch that turns single keys off. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [on, turn] = useSingleKeys();
  const actions = [...always, ...useKeyActions()];
  return (
    <Dialog title="Keys" saving={false} onClose={onClose}>
      <div className={styles.keys}>
        {sections.map((section) => {
          const here = actions.filter((action) => action.section === section);
          if (here.length === 0) return null;
          return (
            <section key={section} aria-label={section}>
              <h3>{section}</h3>
              <dl>
                {here.map(({ keys, word }) => (
                  <div key={keys}>
                    <dt>{word}</dt>
                    <dd>
                      <span className="visually-hidden">{keys.replace(' ', ' then ')}</span>
                      {keys.split(' ').map((key) => (
                        <Kbd key={key}>
                          {key === 'Escape' ? 'Esc' : key.length === 1 ? key.toUpperCase() : key}
                        </Kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        <p className={styles.switch}>
          <span>
            {on ? 'Single keys are on. Turn them off if you speak to your computer.' : 'Single keys are off.'}
          </span>
          <Button size="sm" onClick={() => turn(!on)}>
            {on ? 'Turn off' : 'Turn on'}
          </Button>
        </p>
      </div>
    </Dialog>
  );
}
