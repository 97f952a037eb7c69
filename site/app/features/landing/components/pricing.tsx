import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Icon } from '~/components/ui/icon';
import * as landingStyles from '../landing.module.css';
import { type Plan, type PlanKey, plans } from '../sample/plans';
import * as styles from './pricing.module.css';

interface PricingProps {
  /** Registration with the plan that was chosen. */
  onRegister: (plan: PlanKey) => void;
  onContact: () => void;
}

/** The three plans. Free and trial open registration, enterprise says how to reach a person. */
export function Pricing({ onRegister, onContact }: PricingProps) {
  return (
    <section className={landingStyles.band} id="pricing">
      <div className={landingStyles.wrap}>
        <h2>Priced per person, not per page</h2>
        <p className={landingStyles.sub}>14-day trial, no setup fees. Switch or cancel anytime.</p>
        <div className={styles.plans}>
          {plans.map((plan) => (
            <PlanColumn
              key={plan.name}
              plan={plan}
              onPick={() => (plan.action === 'contact' ? onContact() : onRegister(plan.action))}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

function PlanColumn({ plan, onPick }: { plan: Plan; onPick: () => void }) {
  return (
    <section
      className={
        plan.popular ? `${cardKit.card} ${styles.plan} ${styles.popular}` : `${cardKit.card} ${styles.plan}`
      }
      aria-label={plan.name}
    >
      <h3>
        {plan.name}
        {plan.popular && <Badge>Most popular</Badge>}
      </h3>
      <p className={styles.price}>
        {plan.price}
        {plan.per && <small>{plan.per}</small>}
      </p>
      <p className="text-2">{plan.pitch}</p>
      <ul>
        {plan.includes.map((item) => (
          <li key={item}>
            <Icon name="check" />
            {item}
          </li>
        ))}
      </ul>
      <Button size="lg" look={plan.popular ? 'primary' : 'plain'} data-early={plan.action} onClick={onPick}>
        {plan.button}
      </Button>
    </section>
  );
}
