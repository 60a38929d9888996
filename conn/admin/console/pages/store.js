// What a user has chosen is kept in the browser.

export function recall(key, standard) {
  try {
    const text = localStorage.getItem("beanfield." + key);
    return text === null ? standard : JSON.parse(text);
  } catch {
    return standard;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem("beanfield." + key, JSON.stringify(value));
  } catch {
    // private windows may have no room
  }
}
