-- What was in the news for a week, and when each source of it was last heard: written products say
-- what they looked at, and a source that has gone silent must not look like a quiet day.

CREATE TABLE headline (
  url text COLLATE "C" PRIMARY KEY,
  title text NOT NULL,
  source text NOT NULL,
  published_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);
CREATE INDEX headline_newest ON headline (published_at DESC, url);

CREATE TABLE news_source (
  name text COLLATE "C" PRIMARY KEY,
  asked_at timestamptz NOT NULL,
  answered_at timestamptz,
  CHECK (answered_at <= asked_at)
);
