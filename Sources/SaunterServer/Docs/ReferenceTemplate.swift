/// The Mustache template of the reference page. `{{name}}` escapes HTML. `{{{name}}}` does not: it is used only for
/// texts that `ReferenceText` has escaped.
enum ReferenceTemplate {
    static let html = #"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Saunter {{version}}: API reference</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/docs/style.css">
        <script src="/docs/search.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the content</a>
        <nav aria-label="Routes">
        <p class="brand"><a href="#content">Saunter</a> <small>{{version}}</small></p>
        <form id="search" role="search" hidden>
        <label>Search <input type="search" autocomplete="off"></label>
        <output aria-live="polite"></output>
        </form>
        <h2><a href="#walkthrough">Walkthrough for app developers</a></h2>
        {{#sections}}
        <h2><a href="#{{anchor}}">{{tag}}</a></h2>
        <ul>
        {{#operations}}
        <li><a href="#{{id}}"><b class="{{method}}">{{method}}</b> {{summary}}</a></li>
        {{/operations}}
        </ul>
        {{/sections}}
        <h2><a href="#schemas">Schemas</a></h2>
        <h2><a href="#problems">Problems</a></h2>
        </nav>
        <main id="content">
        <h1>Saunter API reference</h1>
        {{{introduction}}}
        <p>Server: <code>{{publicURL}}</code>. Machine-readable: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        <section aria-labelledby="walkthrough">
        <h2 id="walkthrough">Walkthrough for app developers</h2>
        <ol class="steps">
        {{#steps}}
        <li><h3>{{title}}</h3>
        {{{text}}}
        </li>
        {{/steps}}
        </ol>
        </section>
        {{#sections}}
        <section aria-labelledby="{{anchor}}">
        <h2 id="{{anchor}}">{{tag}}</h2>
        {{#operations}}
        <article id="{{id}}">
        <h3>{{summary}}</h3>
        <p class="route"><b class="{{method}}">{{method}}</b> <code>{{path}}</code> <span class="who">for: {{who}}</span></p>
        {{#hasDescription}}{{{description}}}{{/hasDescription}}
        {{#hasParameters}}
        <h4>Parameters</h4>
        <table>
        <thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
        <tbody>
        {{#parameters}}
        <tr><th scope="row"><code>{{name}}</code></th><td>{{location}}</td><td>{{type}}</td><td>{{{description}}}</td></tr>
        {{/parameters}}
        </tbody>
        </table>
        {{/hasParameters}}
        {{#body}}
        <h4>Body <small>{{types}}, at most {{limit}}</small></h4>
        <table>
        <thead><tr><th scope="col">Member</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
        <tbody>
        {{#rows}}
        <tr><th scope="row"><code>{{name}}</code>{{#isRequired}}<span class="required"> required</span>{{/isRequired}}</th><td>{{#isLinked}}<a href="#schema-{{link}}">{{type}}</a>{{/isLinked}}{{^isLinked}}{{type}}{{/isLinked}}</td><td>{{{description}}}</td></tr>
        {{/rows}}
        </tbody>
        </table>
        {{/body}}
        <h4>Example request</h4>
        <pre tabindex="0">{{curl}}</pre>
        <h4>Responses</h4>
        {{#outcomes}}
        <p><b class="status">{{status}}</b> {{{description}}} {{#hasContentType}}<code>{{contentType}}</code>{{/hasContentType}}{{#hasHeaders}} <small>headers: {{headers}}</small>{{/hasHeaders}}</p>
        {{#hasRows}}
        <table>
        <thead><tr><th scope="col">Member</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
        <tbody>
        {{#rows}}
        <tr><th scope="row"><code>{{name}}</code>{{^isRequired}}<span class="optional"> optional</span>{{/isRequired}}</th><td>{{#isLinked}}<a href="#schema-{{link}}">{{type}}</a>{{/isLinked}}{{^isLinked}}{{type}}{{/isLinked}}</td><td>{{{description}}}</td></tr>
        {{/rows}}
        </tbody>
        </table>
        {{/hasRows}}
        {{#example}}<pre tabindex="0">{{.}}</pre>{{/example}}
        {{/outcomes}}
        <p class="errors">Errors: {{#problems}}<a href="#problem-{{slug}}">{{status}} {{slug}}</a> {{/problems}}</p>
        </article>
        {{/operations}}
        </section>
        {{/sections}}
        <section aria-labelledby="schemas">
        <h2 id="schemas">Schemas</h2>
        {{#schemas}}
        <article id="schema-{{name}}">
        <h3><code>{{name}}</code></h3>
        <table>
        <thead><tr><th scope="col">Member</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
        <tbody>
        {{#rows}}
        <tr><th scope="row"><code>{{name}}</code>{{^isRequired}}<span class="optional"> optional</span>{{/isRequired}}</th><td>{{#isLinked}}<a href="#schema-{{link}}">{{type}}</a>{{/isLinked}}{{^isLinked}}{{type}}{{/isLinked}}</td><td>{{{description}}}</td></tr>
        {{/rows}}
        </tbody>
        </table>
        </article>
        {{/schemas}}
        </section>
        <section aria-labelledby="problems">
        <h2 id="problems">Problems</h2>
        <p>Every error is <code>application/problem+json</code>. Branch on the slug at the end of <code>type</code>, or on <code>action</code>. Show <code>detail</code> to developers only; it is in English. Send <code>instance</code> to the operator when you report a problem.</p>
        <table>
        <thead><tr><th scope="col">Type</th><th scope="col">Status</th><th scope="col">Action</th><th scope="col">Meaning</th></tr></thead>
        <tbody>
        {{#problems}}
        <tr id="problem-{{slug}}"><th scope="row"><code>{{slug}}</code></th><td>{{status}}</td><td>{{action}}</td><td>{{title}}. {{{meaning}}}</td></tr>
        {{/problems}}
        </tbody>
        </table>
        </section>
        </main>
        </body>
        </html>
        """#
}
