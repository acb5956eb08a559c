-- A lock-out is not renewed by its own tries: what is kept is when the window began.
alter table login_failure rename column last_at to since;
