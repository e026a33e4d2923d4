-- The headlines of a week, and when each source last responded. Written products state which sources
-- responded, because a source that is down must not look like a day without news.

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
