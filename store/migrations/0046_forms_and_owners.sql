-- compatible
-- What a question asks for stays in the order that its agent gave it, which jsonb
-- does not keep: its form is shown to people in that order.
alter table elicitations
  drop constraint elicitations_requested_schema_check,
  alter column requested_schema drop default,
  alter column requested_schema type json using requested_schema::json,
  alter column requested_schema set default '{}',
  add check (json_typeof(requested_schema) = 'object');

-- Who asked for Web Push in a browser: a person by name, or null where an API key
-- did, which is everybody's. It is told no longer than its owner is known.
alter table push_subscriptions add column owner text check (char_length(owner) between 1 and 100);
