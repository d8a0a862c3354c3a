"use strict";
(() => {
  const at = (id) => document.getElementById(`picker-${id}`);
  const data = JSON.parse(at("data").textContent);
  const game = () => data.games[Number(at("game").value)];

  const fill = (select, options) => {
    const chosen = select.value;
    select.replaceChildren(...options.map(([value, name]) => new Option(name, value)));
    if (options.some(([value]) => value === chosen)) select.value = chosen;
  };

  const hands = () => Object.keys(game().hands).map((name) => name.split(" "));

  const ranks = (numbers) =>
    [...new Set(numbers)].sort((a, b) => b - a).map((rank) => [rank, game().ranks[rank]]);

  const cell = (kind, text, look) => {
    const made = document.createElement(kind);
    if (kind === "th") made.scope = "row";
    made.textContent = text;
    if (look) {
      const letter = document.createElement("b");
      letter.className = look;
      letter.textContent = look;
      made.prepend(letter, " ");
    }
    return made;
  };

  const show = () => {
    const trumps = at("trumps").value;
    const [words, down, across] = data.grids[trumps];
    const three = trumps === "3";
    at("row-field").hidden = at("column-field").hidden = three;
    const alike = hands().filter((hand) => hand[0] === trumps);
    if (!three) {
      at("row-name").textContent = down;
      at("column-name").textContent = across;
      fill(at("row"), ranks(alike.map((hand) => hand[1])));
      const row = alike.filter((hand) => hand[1] === at("row").value);
      fill(at("column"), ranks(row.map((hand) => hand[2])));
    }
    const place = three ? ["0", "0"] : [at("row").value, at("column").value];
    const told = three ? "" : `, ${down} ${game().ranks[place[0]]}, ${across} ${game().ranks[place[1]]}`;
    at("hand").textContent = `${words}${told}`;
    const values = game().hands[[trumps, ...place].join(" ")].split("|");
    at("rows").replaceChildren(
      ...game().spots.map(([name, often], spot) => {
        const line = document.createElement("tr");
        line.append(cell("th", name), cell("td", often));
        if (!values[spot]) {
          for (let i = 0; i < 3; i += 1) line.append(cell("td", "–"));
          line.append(cell("td", "too few deals"));
          return line;
        }
        const [stand, miss, difference, letter] = values[spot].split(";");
        const sure = letter === letter.toUpperCase();
        line.append(cell("td", stand), cell("td", miss), cell("td", difference));
        line.append(sure ? cell("td", data.words[letter], letter) : cell("td", "too close to call"));
        return line;
      }),
    );
    at("left").hidden = game().left === 0;
    at("left").textContent = `${game().left} rarer situations are left out.`;
  };

  const start = () => {
    const known = new Set(hands().map((hand) => hand[0]));
    fill(at("trumps"), [...known].sort().map((trumps) => [trumps, data.grids[trumps][0]]));
    if (known.has("1")) at("trumps").value = "1";
    show();
  };

  fill(at("game"), data.games.map((one, number) => [String(number), one.name]));
  at("game-field").hidden = data.games.length === 1;
  at("game").addEventListener("change", start);
  for (const id of ["trumps", "row", "column"]) at(id).addEventListener("change", show);
  start();
  at("section").hidden = false;
})();
