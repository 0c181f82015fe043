import Testing

@testable import SaunterWeb

/// Scripts and style sheets without what only their readers need.
struct AssetTextTests {
    @Test func `comments that begin a line, indentation and blank lines are removed`() {
        let script = """
            // A module.

            /** Adds.
             * @param a a number
             */
            function add(a) {
              const address = "https://example.org/*"; // stays
              /* one line */ return a + address.length;
            }

            """

        #expect(
            AssetText.compact(script) == """
                function add(a) {
                const address = "https://example.org/*"; // stays
                return a + address.length;
                }

                """)
    }

    @Test func `a style sheet has no spaces around its punctuation`() {
        let styles = """
            /* A card. */
            .card,
            .list a:hover { color: red; margin: 0 1px; }
            @media print {
              .card { margin: 0 }
            }

            """

        #expect(
            AssetText.compactStyles(styles)
                == ".card,.list a:hover{color:red;margin:0 1px}@media print{.card{margin:0}}")
    }

    @Test func `no text in a style sheet has punctuation, whose spaces would change`() {
        for (name, bytes) in Assets.embedded where name.hasSuffix(".css") {
            for match in String(decoding: bytes, as: UTF8.self).matches(of: /"[^"\n]*"/) {
                #expect(!match.output.contains { "{};:,".contains($0) }, "\(name): \(match.output)")
            }
        }
    }

    @Test func `no script has a template literal of several lines, whose indentation would change`() {
        for (name, bytes) in Assets.embedded where name.hasSuffix(".js") {
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                // A regular expression may contain the mark.
                let isExpression = line.contains("[^`]")
                #expect(isExpression || line.count { $0 == "`" }.isMultiple(of: 2), "\(name): \(line)")
            }
        }
    }

    @Test func `a page loads the files that its modules import together with them`() throws {
        let assets = try Assets(WebFiles(folder: nil), Words(WebFiles(folder: nil)))

        #expect(assets.imports(of: ["app", "answer"]).isEmpty)
        #expect(assets.imports(of: ["closed"]) == [assets["app.js"]])
        #expect(assets["rules.js"] == assets["answer.js"])
        #expect(assets["outbox.js"] == assets["app.js"])
    }
}
