#!/bin/sh
# Puts the site's names into nginx.conf, sees to a certificate, and runs nginx.
#
# SITE_URL, HIT_BASE_URL  as web has them
# ACME_EMAIL              get a certificate for both names from Let's Encrypt, and renew it; who is told of trouble
# A certificate of your own lies in /etc/kbpo/tls as certificate.pem (the whole chain) and key.pem.
# With neither it makes one that no browser trusts, for a first look.
set -eu
own=/etc/kbpo/tls made=/var/lib/acme/made acme=/var/lib/acme/live

host_of() { printf '%s' "$1" | sed -E 's|^[a-z]+://||; s|[:/].*$||'; }
port_of() { printf '%s' "$1" | sed -nE 's|^[a-z]+://[^/:]+(:[0-9]+).*$|\1|p'; }

site=$(host_of "${SITE_URL:?such as https://kbpo.example.org}")
hosts=$site
[ -z "${HIT_BASE_URL:-}" ] || hosts="$hosts $(host_of "$HIT_BASE_URL")"

# Sets certificate and key to the best that there is.
choose() {
	if [ -s "$own/certificate.pem" ]; then
		certificate=$own/certificate.pem key=$own/key.pem
	elif [ -s "$acme/kbpo/fullchain.pem" ]; then
		certificate=$acme/kbpo/fullchain.pem key=$acme/kbpo/privkey.pem
	else
		certificate=$made/certificate.pem key=$made/key.pem
		[ -s "$certificate" ] && openssl x509 -in "$certificate" -noout -checkend 86400 >/dev/null && return
		echo "proxy: no certificate: making one that no browser trusts" >&2
		mkdir -p "$made"
		names=$(for host in $hosts; do printf 'DNS:%s,' "$host"; done)
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=$site" \
			-addext "subjectAltName=${names%,}" -keyout "$key" -out "$certificate" 2>/dev/null
	fi
}

configure() {
	choose
	resolver=$(awk '$1 == "nameserver" { print $2; exit }' /etc/resolv.conf)
	case $resolver in *:*) resolver="[$resolver]" ;; esac
	sed -e "s|@HOSTS@|$hosts|" -e "s|@HTTPS_PORT@|$(port_of "$SITE_URL")|" -e "s|@RESOLVER@|$resolver|" \
		-e "s|@CERTIFICATE@|$certificate|" -e "s|@KEY@|$key|" /etc/kbpo/nginx.conf >/etc/nginx/nginx.conf
}

# Looks twice a day whether the certificate is to be renewed, and once at the start.
keep_certificate() {
	while :; do
		if certbot certonly --webroot --webroot-path /var/lib/acme --config-dir /var/lib/acme --cert-name kbpo \
			--work-dir /tmp/certbot --logs-dir /tmp/certbot --non-interactive --agree-tos --keep-until-expiring \
			--expand --email "$ACME_EMAIL" $(for host in $hosts; do printf -- '-d %s ' "$host"; done) >&2; then
			configure
			nginx -s reload
			sleep 43200
		else
			echo "proxy: no certificate from Let's Encrypt this time; it is asked again in an hour" >&2
			sleep 3600
		fi
	done
}

case "${1:-}" in
reload) configure && exec nginx -s reload ;; # after your own certificate was put there
esac
configure
nginx -t -q
if [ -n "${ACME_EMAIL:-}" ]; then
	(sleep 5 && keep_certificate) &
fi
exec nginx -g 'daemon off;'
