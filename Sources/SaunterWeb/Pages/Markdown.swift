import CMarkGFM
import Glibc

/// Renders the Markdown of a pack as HTML. Raw HTML and unsafe addresses are left out.
enum Markdown {
    /// The HTML of a text. It is safe to insert into a page. Headings are one level lower, because the page has its own
    /// first heading.
    static func html(_ text: String) -> String {
        let bytes = Array(text.utf8)
        // The default options are the safe ones.
        let options = CMARK_OPT_DEFAULT
        let document = bytes.withUnsafeBytes { buffer in
            cmark_parse_document(buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, options)
        }
        guard let document else { return "" }
        defer { cmark_node_free(document) }
        lowerHeadings(of: document)
        guard let html = cmark_render_html(document, options, nil) else { return "" }
        defer { free(html) }
        return String(cString: html)
    }

    private static func lowerHeadings(of document: OpaquePointer) {
        var node = cmark_node_first_child(document)
        while let current = node {
            if cmark_node_get_type(current) == CMARK_NODE_HEADING {
                cmark_node_set_heading_level(current, min(6, cmark_node_get_heading_level(current) + 1))
            }
            node = cmark_node_next(current)
        }
    }
}
