/// The style sheet of the reference page: light and dark mode, narrow screens, print.
enum ReferenceStyle {
    static let css = """
        :root { --ink: #1d2420; --soft: #55605a; --paper: #fdfdfb; --line: #d8ddd6; --tint: #f1f4ee; --link: #17613f;
          --get: #17613f; --put: #7a4a00; --post: #1b4f8f; --delete: #9c1f2e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e4e9e3; --soft: #a3afa6; --paper: #151916; --line: #343c36; --tint: #1e2420; --link: #7fd0a4;
            --get: #7fd0a4; --put: #e3b264; --post: #8fbcf2; --delete: #f29aa4; }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; }
        body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif;
          display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
        nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.2rem; background: var(--tint);
          border-right: 1px solid var(--line); font-size: .86rem; }
        nav h2 { font-size: .86rem; margin: 1.1rem 0 .2rem; border: 0; padding: 0; }
        nav ul { list-style: none; margin: 0; padding: 0; }
        nav li { margin: .15rem 0; padding-left: 3.9rem; text-indent: -3.9rem; }
        nav a { color: inherit; text-decoration: none; }
        nav a:hover { text-decoration: underline; }
        nav form { margin: .8rem 0; }
        nav input { display: block; width: 100%; padding: .35rem .5rem; font: inherit; color: inherit; background: var(--paper);
          border: 1px solid var(--line); border-radius: 4px; }
        nav input:focus-visible { outline: 2px solid var(--link); }
        [hidden] { display: none; }
        .steps { padding-left: 1.4rem; }
        .brand { font-weight: 700; font-size: 1.1rem; margin: 0; }
        main { padding: 1.6rem 2.4rem 5rem; max-width: 62rem; }
        h1 { font-size: 1.7rem; margin: 0 0 .6rem; }
        h2 { font-size: 1.3rem; margin: 2.4rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); }
        h3 { font-size: 1.08rem; margin: 0 0 .3rem; }
        h4 { font-size: .82rem; color: var(--soft); margin: 1rem 0 .3rem; }
        a { color: var(--link); }
        a:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        article { margin: 1.4rem 0 2.2rem; }
        article:target, tr:target { background: var(--tint); box-shadow: 0 0 0 .5rem var(--tint); }
        code, pre { font: .88em/1.5 ui-monospace, monospace; }
        code { overflow-wrap: anywhere; }
        pre { background: var(--tint); border: 1px solid var(--line); border-radius: 4px; padding: .7rem .9rem; overflow: auto; }
        b.GET { color: var(--get); } b.PUT, b.PATCH { color: var(--put); }
        b.POST { color: var(--post); } b.DELETE { color: var(--delete); }
        nav b { display: inline-block; min-width: 3.9rem; text-indent: 0; font: 700 .72rem ui-monospace, monospace; }
        .route { margin: .1rem 0 .5rem; }
        .who, small, .optional { color: var(--soft); font-weight: 400; font-size: .84rem; }
        .required { color: var(--delete); font-weight: 400; font-size: .84rem; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .3rem 0 .8rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
        thead th { color: var(--soft); font-weight: 500; }
        tbody th { font-weight: 500; width: 17rem; }
        .errors { font-size: .84rem; color: var(--soft); }
        .errors a { margin-right: .5rem; white-space: nowrap; }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; z-index: 1; }
        @media (max-width: 56rem) {
          body { display: block; }
          nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
          main { padding: 1.2rem; }
          table { display: block; overflow-x: auto; }
          tbody th { width: auto; }
        }
        @media print {
          :root { --ink: #000; --soft: #444; --paper: #fff; --tint: #f6f6f6; --link: #000; }
          body { display: block; font-size: 10pt; }
          nav, .skip { display: none; }
          main { padding: 0; max-width: none; }
          article { break-inside: avoid-page; }
          pre { white-space: pre-wrap; }
        }
        """
}
