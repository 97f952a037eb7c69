/** A plan that can be registered for, as the server calls it. */
export type PlanKey = 'starter' | 'professional';

/** What a plan's button does: open registration for it, or write to sales. */
export type PlanAction = PlanKey | 'contact';

/** A column of the price table. */
export interface Plan {
  name: string;
  price: string;
  per?: string;
  pitch: string;
  includes: readonly string[];
  button: string;
  action: PlanAction;
  popular?: boolean;
}

/** The three plans, as the product sells them. */
export const plans: readonly Plan[] = [
  {
    name: 'Starter',
    price: '$0',
    per: 'per month',
    pitch: 'For one team finding its rhythm.',
    includes: ['Up to 5 team members', 'Basic alerting', 'Email notifications', 'Community support'],
    button: 'Start free',
    action: 'starter',
  },
  {
    name: 'Professional',
    price: '$29',
    per: 'per user per month',
    pitch: 'For teams that are really on call.',
    includes: [
      'Unlimited team members',
      'Advanced escalation',
      'SMS and phone alerts',
      'Integrations',
      'Priority support',
    ],
    button: 'Start trial',
    action: 'professional',
    popular: true,
  },
  {
    name: 'Enterprise',
    price: 'Custom',
    pitch: 'For many teams under one roof.',
    includes: [
      'Custom integrations',
      'SSO with SAML',
      'Advanced analytics',
      'SLA guarantees',
      'Dedicated support',
    ],
    button: 'Contact sales',
    action: 'contact',
  },
];
