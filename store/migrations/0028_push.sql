-- compatible
-- Where notices are sent to beside the list of them.

-- Browsers that asked for Web Push. One that says it is gone is deleted.
create table push_subscriptions (
  id bigint generated always as identity primary key,
  endpoint text not null unique check (char_length(endpoint) <= 2000),
  p256dh text not null check (char_length(p256dh) <= 200),
  auth text not null check (char_length(auth) <= 100),
  created_at timestamptz not null default now()
);

-- How sending goes, by target: `notify_url`, or `push:` and a number.
create table notice_targets (
  target text primary key check (char_length(target) <= 100),
  last_sent_at timestamptz,
  failures integer not null default 0,
  last_error text check (char_length(last_error) <= 500),
  failed_at timestamptz
);

-- The key pair that push services know this program by: one for all servers.
create table vapid_keys (
  id integer primary key default 1 check (id = 1),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null default now()
);
