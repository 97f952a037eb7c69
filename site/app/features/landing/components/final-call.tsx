import { Button } from '~/components/ui/button';

/** The last word: register, or look at the working picture once more. */
export function FinalCall({ onRegister }: { onRegister: () => void }) {
  return (
    <section className="band final-call">
      <div className="wrap">
        <h2>Sleep. We will wake you if it matters.</h2>
        <div className="actions">
          <Button look="primary" size="lg" data-early="register" onClick={onRegister}>
            Get Early Access
          </Button>
          <a className="btn lg" href="#demo">
            See a demo
          </a>
        </div>
        <p className="text-2">Set up in 5 minutes. 14-day trial, no setup fees, cancel anytime.</p>
      </div>
    </section>
  );
}
