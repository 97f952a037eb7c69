/** Personal use, or a team or company. */
export type UserType = 'individual' | 'organization';

/** The registration call's body. */
export interface Registration {
  user_type: UserType;
  name: string;
  email: string;
  password: string;
  timezone: string;
  org_name?: string;
  phone?: string;
  plan?: Plan;
}

/** What somebody registers for; Starter unless said. */
export type Plan = 'starter' | 'professional';

/** The body from the form's values: org_name only for an organization, phone only when it is not blank. */
export function registrationOf(userType: UserType, form: FormData, plan?: Plan): Registration {
  const text = (name: string) => String(form.get(name) ?? '');
  const phone = text('phone').trim();
  return {
    email: text('email').trim(),
    password: text('password'),
    name: text('name').trim(),
    timezone: text('timezone') || 'UTC',
    user_type: userType,
    ...(userType === 'organization' ? { org_name: text('org_name').trim() } : {}),
    ...(plan === undefined ? {} : { plan }),
    ...(phone === '' ? {} : { phone }),
  };
}
