# How the secrets of a deployment are made. Each of the first three prints 64 hexadecimal digits.

#region openssl
openssl rand -hex 32
#endregion

#region node
node -e "console.log(require('node:crypto').randomBytes(32).toString('hex'))"
#endregion

#region python
python3 -c "import secrets; print(secrets.token_hex(32))"
#endregion

#region key
ssh-keygen -t ed25519 -N "" -C nightbell-deploy -f nightbell_deploy
#endregion

#region markers
head -1 nightbell_deploy && tail -1 nightbell_deploy
#endregion

#region authorize
ssh-copy-id -i nightbell_deploy.pub deploy@your-server
#endregion

#region copy-restart
ssh deploy@your-server mkdir -p nightbell
scp -p docs-mdx/deploy/restart deploy@your-server:nightbell/restart
#endregion

#region store
openssl rand -hex 32 | gh secret set NIGHTBELL_JWT_SECRET
gh secret set DEPLOY_SSH_KEY < nightbell_deploy
#endregion

#region list
gh secret list
#endregion

#region forget
rm nightbell_deploy nightbell_deploy.pub
#endregion

#region test
gh workflow run deploy.yml
gh run watch
#endregion

#region first-login
ssh -i nightbell_deploy deploy@your-server true
#endregion

#region known-host
ssh-keyscan -t ed25519 your-server | gh variable set DEPLOY_KNOWN_HOSTS
#endregion

#region target
gh variable set DEPLOY_TARGET --body deploy@your-server
gh variable set NIGHTBELL_PUBLIC_URL --body https://nightbell.your-domain
#endregion

#region server-doctor
cd ~/nightbell && (set -a; . ./settings; ./nightbell doctor --data-dir data)
#endregion

#region doctor
NIGHTBELL_SMTP_HOST=smtp.gmail.com nightbell doctor
#endregion
