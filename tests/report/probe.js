// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a browser made of a report: sizes, overflow, and contrasts (of WCAG 2) of the colours it
// computed.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const styleOf = (element) => element.getAttribute('style') || '';

  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (light + 0.05) / (dark + 0.05);
  };
  const paper = getComputedStyle(document.body).backgroundColor;
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return paper;
  };
  const faint = (element, least, colour, under) =>
    contrast(getComputedStyle(element)[colour], under) < least;

  const plots = all('svg.plot');
  const texts = plots.flatMap((plot) => all('text', plot));
  // Text in a cell of a heat map has a colour of its own, chosen against the cell's.
  const inCell = (text) => styleOf(text).includes('#');
  const cellOf = (text) => {
    const box = text.getBoundingClientRect();
    return all('path', text.ownerSVGElement).reverse().find((path) => {
      const cell = path.getBoundingClientRect();
      return styleOf(path).includes('fill: #') && cell.left <= box.left &&
        cell.right >= box.right && cell.top <= box.top + 2 && cell.bottom >= box.bottom - 2;
    });
  };
  const isCut = (text) => {
    const [box, plot] = [text, text.ownerSVGElement].map((e) => e.getBoundingClientRect());
    return box.left < plot.left - 1.5 || box.right > plot.right + 1.5 ||
      box.top < plot.top - 1.5 || box.bottom > plot.bottom + 1.5;
  };
  const sizeOf = (text) => {
    const plot = text.ownerSVGElement;
    const scale = plot.getBoundingClientRect().width / plot.viewBox.baseVal.width;
    return parseFloat(getComputedStyle(text).fontSize) * scale;
  };
  const marks = plots.flatMap((plot) => all('use, path', plot))
    .filter((mark) => /--(kokkos|openacc|yardstick)/.test(styleOf(mark)));
  const words = all('p, td, th, a, h1, h2, h3, li, dt, dd, summary, strong, figcaption');
  const say = (elements) => elements.map((e) => e.outerHTML.slice(0, 100));

  return {
    paper,
    width: document.documentElement.scrollWidth,
    beyond: say(all('body *').filter((e) =>
      !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1)),
    scrolling: all('.scroll').filter((e) => e.scrollWidth > e.clientWidth + 1).length,
    plots: plots.length,
    flat: plots.map((plot) => plot.getBoundingClientRect())
      .filter((box) => box.width < 150 || box.height < 40).length,
    texts: texts.length,
    cut: texts.filter(isCut).map((text) => text.textContent),
    smallest: Math.min(100, ...texts.map(sizeOf)),
    faint: texts.filter((text) => !inCell(text) && faint(text, 4.5, 'fill', paper))
      .map((text) => text.textContent),
    faintInCells: texts.filter(inCell).filter((text) => {
      const cell = cellOf(text);
      return !cell || faint(text, 4.5, 'fill', getComputedStyle(cell).fill);
    }).map((text) => text.textContent),
    marks: marks.length,
    faintMarks: marks.filter((mark) => faint(
      mark, 3, getComputedStyle(mark).stroke === 'none' ? 'fill' : 'stroke', paper)).length,
    faintWords: say(words.filter((e) => faint(e, 4.5, 'color', behind(e)))),
    levels: all('h1, h2, h3, h4').map((heading) => Number(heading.tagName[1])),
    broken: all('a[href^="#"]').filter((link) =>
      !document.getElementById(decodeURIComponent(link.hash.slice(1)))).length,
    nav: getComputedStyle(document.querySelector('nav')).display,
  };
})()
