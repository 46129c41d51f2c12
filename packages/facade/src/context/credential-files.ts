const SAMPLE = /\.(?:example|sample|template)$/;
/** Places in which programs keep what lets them in somewhere. */
const PLACES = /(?:^|\/)(?:\.azure\/|\.config\/gcloud\/|\.docker\/config\.json$|\.kube\/config$)/;
/** Names of files, in lower case. */
const NAMES = [
  /^[._](?:npmrc|netrc|pypirc|pgpass|htpasswd|my\.cnf|s3cfg|boto|dockercfg|dockerconfigjson|terraformrc)$/,
  /^\.?git-credentials$/,
  /^\.vault-(?:token|pass(?:word)?)$/,
  /^\.?kubeconfig(?:\.ya?ml)?$/,
  /^\.?credentials(?:\.(?:json|toml|ya?ml|ini|xml|csv|db))?$/,
  /^\.?secrets?\.(?:json|toml|ya?ml|ini|env|properties)$/,
  /^(?:.*[._-])?service[._-]?account(?:[._-].*)?\.json$/,
  /^(?:.*-)?firebase-adminsdk(?:-.*)?\.json$/,
  /^client[_-]secrets?(?:[._-].*)?\.json$/,
  /^(?:gha-creds|application_default_credentials)(?:-.*)?\.json$/,
  /^wp-config\.php$/,
  /\.env$/,
  /\.(?:pem|p8|pkcs12|ovpn)$/,
  /\.tfstate(?:\.backup)?$/,
  /\.tfvars(?:\.json)?$/,
];

/**
 * The rule by which a file is left out of every context because its name says that it lets one in somewhere; undefined: none. Whether it is
 * tracked by git does not count, and neither does who asks for it.
 * @param path with `/`
 */
export function credentialsRule(path: string): string | undefined {
  const folded = path.normalize("NFKC").toLowerCase();
  const name = folded.slice(folded.lastIndexOf("/") + 1);
  if (SAMPLE.test(name)) return undefined;
  const isCredentials = PLACES.test(folded) || NAMES.some((rule) => rule.test(name));
  return isCredentials ? "credentials" : undefined;
}

/** A key in the form in which Google gives them out, whatever the file is called. */
export function isServiceAccount(text: string): boolean {
  return /"type"\s*:\s*"service_account"/.test(text) && /"private_key"\s*:\s*"/.test(text);
}
