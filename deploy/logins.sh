#!/bin/sh
# Run by the image of PostgreSQL on an empty volume: the two roles, and a login of each.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set service="$SERVICE_PASSWORD" --set refund="$REFUND_PASSWORD" <<'SQL'
CREATE ROLE bellwether_service;
CREATE ROLE bellwether_refund;
CREATE ROLE service_login LOGIN PASSWORD :'service' IN ROLE bellwether_service;
CREATE ROLE refund_login LOGIN PASSWORD :'refund' IN ROLE bellwether_refund;
SQL
