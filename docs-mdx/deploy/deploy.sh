#!/bin/bash
# Puts bin/nightbell and its settings on DEPLOY_TARGET over SSH, and restarts it there. A
# binary that does not run there replaces nothing.
set -euo pipefail

#region check
[[ ${NIGHTBELL_JWT_SECRET:-} =~ ^[0-9a-f]{64}$ ]] || {
  echo 'NIGHTBELL_JWT_SECRET has to be 64 hexadecimal digits, without spaces or quotes.' >&2
  exit 1
}
[[ ${DEPLOY_SSH_KEY:-} == -----BEGIN*PRIVATE\ KEY-----*-----END*PRIVATE\ KEY-----* ]] || {
  echo 'DEPLOY_SSH_KEY has to be the whole private key, with its BEGIN and END lines.' >&2
  exit 1
}
: "${DEPLOY_TARGET:?has to say where to deploy, such as deploy@your-server}"
: "${DEPLOY_KNOWN_HOSTS:?has to hold the line that ssh-keyscan prints of your server (gh variable set DEPLOY_KNOWN_HOSTS)}"
#endregion

#region prepare
settings() { # as a shell reads them: a value may hold spaces, quotes and signs
  for name in $(compgen -e NIGHTBELL_) DATABASE_URL; do [ -z "${!name:-}" ] || printf '%s=%q\n' "$name" "${!name}"; done
}
private=$(mktemp -d)
trap 'rm -rf "$private"' EXIT
(umask 077 && printf '%s\n' "$DEPLOY_SSH_KEY" > "$private/key" && settings > "$private/settings")
printf '%s\n' "$DEPLOY_KNOWN_HOSTS" > "$private/hosts"
options=(-i "$private/key" -o UserKnownHostsFile="$private/hosts" -o StrictHostKeyChecking=yes -o BatchMode=yes)
#endregion

#region send
ssh "${options[@]}" "$DEPLOY_TARGET" 'mkdir -p nightbell && cd nightbell && umask 077 && cat > settings.new' < "$private/settings"
ssh "${options[@]}" "$DEPLOY_TARGET" 'cd nightbell && cat > nightbell.new && chmod +x nightbell.new' < bin/nightbell
ssh "${options[@]}" "$DEPLOY_TARGET" 'cd nightbell && ./nightbell.new version &&
  mv settings.new settings && mv nightbell.new nightbell && ./restart'
#endregion
