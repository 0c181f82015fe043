import Testing

@testable import SaunterWeb

/// Markdown of packs as HTML.
struct MarkdownTests {
    @Test func `headings are one level lower, also in quotations and lists`() {
        #expect(
            Markdown.html("# Walks\n\n> # Rain\n\n- # Wind\n\n###### Sun")
                == """
                <h2>Walks</h2>
                <blockquote>
                <h2>Rain</h2>
                </blockquote>
                <ul>
                <li>
                <h2>Wind</h2>
                </li>
                </ul>
                <h6>Sun</h6>

                """)
    }
}
