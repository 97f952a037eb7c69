import { index, layout, type RouteConfig, route } from '@react-router/dev/routes';

export default [
  index('routes/landing.tsx'),
  route('docs/*', 'routes/docs-page.tsx'),
  route('terms', 'routes/terms.tsx'),
  route('privacy', 'routes/privacy.tsx'),
  route('cookies', 'routes/cookies.tsx'),
  layout('routes/signed-in.tsx', [
    route('dashboard', 'routes/dashboard.tsx'),
    route('incidents', 'routes/incidents.tsx'),
    route('incidents/:id', 'routes/incident.tsx'),
    route('oncall', 'routes/on-call.tsx'),
    route('oncall/contacts', 'routes/on-call-contacts.tsx'),
    route('oncall/policies', 'routes/on-call-policies.tsx'),
    route('oncall/policies/new', 'routes/on-call-policy-new.tsx'),
    route('oncall/policies/:id', 'routes/on-call-policy.tsx'),
    route('oncall/teams', 'routes/on-call-teams.tsx'),
    route('oncall/maintenance', 'routes/on-call-maintenance.tsx'),
    route('oncall/explain', 'routes/on-call-explain.tsx'),
    route('oncall/schedules/new', 'routes/on-call-schedule-new.tsx'),
    route('oncall/schedules/:id', 'routes/on-call-schedule.tsx'),
    route('services', 'routes/services.tsx'),
    route('services/:id', 'routes/service.tsx'),
    route('integrations', 'routes/integrations.tsx'),
    route('inbox', 'routes/inbox.tsx'),
  ]),
  route('*', 'routes/not-found.tsx'),
] satisfies RouteConfig;
