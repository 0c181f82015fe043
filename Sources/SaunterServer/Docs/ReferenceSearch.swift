/// The script of the reference page: the search box filters the list of routes and the articles. The page is complete
/// without it, and then shows no search box.
enum ReferenceSearch {
    static let script = #"""
        const form = document.getElementById("search");
        const input = form.querySelector("input");
        const status = form.querySelector("output");
        const entries = Array.from(document.querySelectorAll("main article[id]"), (article) => {
          const link = document.querySelector(`nav a[href="#${CSS.escape(article.id)}"]`);
          return { article, item: link?.closest("li"), text: article.textContent.toLowerCase() };
        });
        const sections = document.querySelectorAll("main section");

        function search() {
          const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
          let found = 0;
          for (const { article, item, text } of entries) {
            const isFound = words.every((word) => text.includes(word));
            article.hidden = !isFound;
            if (item) item.hidden = !isFound;
            if (isFound) found += 1;
          }
          for (const section of sections) {
            const articles = Array.from(section.querySelectorAll("article[id]"));
            section.hidden = articles.length > 0 && articles.every((article) => article.hidden);
          }
          status.textContent = words.length === 0 ? "" : found === 1 ? "1 entry" : `${found} entries`;
        }

        // A link to an entry that the search hides shows all entries again.
        window.addEventListener("hashchange", () => {
          const target = document.getElementById(location.hash.slice(1));
          if (!target?.closest("[hidden]")) return;
          input.value = "";
          search();
          target.scrollIntoView();
        });
        input.addEventListener("input", search);
        form.addEventListener("submit", (event) => event.preventDefault());
        form.hidden = false;
        """#
}
