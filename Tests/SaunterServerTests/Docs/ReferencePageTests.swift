import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ReferencePageTests {
    @Test func `the page contains each route, schema and problem type`() async throws {
        let routes = try OpenAPIDocumentTests.routes()
        try await SampleGateway.application(routes: routes).test(.router) { client async throws in
            let page = try await client.send(.get, "/docs").text

            for route in routes { #expect(page.contains("<article id=\"\(route.operationID)\">")) }
            for type in ProblemType.allCases { #expect(page.contains("id=\"problem-\(type.slug)\"")) }
            #expect(page.contains("<article id=\"schema-Readiness\">"))
        }
    }

    @Test func `each link within the page has a target`() throws {
        let page = try ReferencePage.html(
            routes: OpenAPIDocumentTests.routes(), version: "1", publicURL: "https://s.example")

        let ids = Set(page.matches(of: /\bid="([^"]+)"/).map { String($0.output.1) })
        let links = page.matches(of: /href="#([^"]+)"/).map { String($0.output.1) }

        #expect(links.count > 50)
        for link in links { #expect(ids.contains(link), "\(link)") }
        #expect(ids.count == page.matches(of: /\bid="([^"]+)"/).count)
    }

    @Test func `the page loads only its style sheet and its search box`() async throws {
        let routes = try OpenAPIDocumentTests.routes()
        try await SampleGateway.application(routes: routes).test(.router) { client async throws in
            let answer = try await client.send(.get, "/docs")

            let loaded = answer.text.matches(of: /(?:src|rel="stylesheet" href)="([^"]+)"/).map(\.output.1)
            #expect(loaded == ["/docs/style.css", "/docs/search.js"])
            #expect(!answer.text.contains("<script>") && !answer.text.contains("style=\""))
            #expect(
                answer.headers[.contentSecurityPolicy]?
                    .hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'") == true)
            let style = try await client.send(.get, "/docs/style.css")
            #expect(style.headers[.contentType] == "text/css; charset=utf-8")
            #expect(!style.text.contains("url(") && !style.text.contains("@import"))
            let script = try await client.send(.get, "/docs/search.js")
            #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(!script.text.contains("innerHTML") && !script.text.contains("fetch("))
        }
    }

    @Test func `the page has a search box, which only the script shows`() throws {
        let page = try ReferencePage.html(
            routes: OpenAPIDocumentTests.routes(), version: "1", publicURL: "https://s.example")

        #expect(page.contains("<form id=\"search\" role=\"search\" hidden>"))
        #expect(page.contains("<input type=\"search\""))
    }

    @Test func `the walkthrough names only routes that exist`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let routes = Set(caller.server.gateway.table.routes.map { "\($0.method) \($0.path)" })

            let named = Walkthrough.steps.flatMap { step in
                step.text.matches(of: /`((?:GET|PUT|POST|PATCH|DELETE) [^`]+)`/).map { String($0.output.1) }
            }

            #expect(named.count >= 10)
            for route in named { #expect(routes.contains(route), "\(route)") }
        }
    }

    @Test(arguments: [
        ("Send `If-Match` & wait.", "<p>Send <code>If-Match</code> &amp; wait.</p>"),
        ("One.\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"),
        ("Run:\n\n    a < b\n    c", "<p>Run:</p>\n<pre tabindex=\"0\">a &lt; b\nc</pre>"),
        ("one ` tick", "<p>one ` tick</p>"),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
    ])
    func `back-ticks become code, and empty lines separate paragraphs`(_ text: String, _ html: String) {
        #expect(ReferenceText.paragraphs(text) == html)
    }

    @Test func `no back-tick of a text is left on the page`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let page = try ReferencePage.html(
                routes: caller.server.gateway.table.routes, version: "1", publicURL: "https://s.example")

            let prose = page.replacing(/<pre[^>]*>[^<]*<\/pre>/, with: "")
            #expect(!prose.contains("`"))
        }
    }

    @Test func `the texts of routes are escaped`() throws {
        let route = Route(
            .get, "/x", who: .anyone, tag: "<b>&", summary: "a < b", description: "<script>alert(1)</script>",
            outcomes: [.empty(.noContent, "\"quoted\"")]
        ) { _ in .noContent }

        let page = try ReferencePage.html(routes: [route], version: "1", publicURL: "https://s.example")

        #expect(!page.contains("<script>alert") && !page.contains("<b>&<"))
        #expect(page.contains("&lt;script&gt;"))
    }

    @Test func `the address of a problem type redirects to its explanation`() async throws {
        let routes = try OpenAPIDocumentTests.routes()
        try await SampleGateway.application(routes: routes).test(.router) { client async throws in
            let known = try await client.send(.get, "/problems/not-found")
            let unknown = try await client.send(.get, "/problems/nothing")

            #expect(known.status == 303)
            #expect(known.headers[.location] == "https://s.example/docs#problem-not-found")
            #expect(unknown.slug == "not-found")
        }
    }

    @Test func `a shell understands the curl examples`() async throws {
        let route = Route(
            .put, "/v1/things/{code}", who: .account, tag: "T", summary: "S",
            parameters: [.text("code", "A code.", example: "a b'c")],
            body: .json(.any, example: ["text": "it's $HOME `x` \\"]), outcomes: [.empty(.noContent, "Yes.")]
        ) { _ in .noContent }
        let line = CurlExample.text(route, publicURL: "https://s.example")

        let run = try await Program.run(["sh", "-c", "curl() { printf '%s\\n' \"$@\"; }; TOKEN=t; \(line)"])

        #expect(
            run.output == """
                -X
                PUT
                https://s.example/v1/things/a%20b%27c
                -H
                Authorization: Bearer t
                -H
                Content-Type: application/json
                -d
                {"text": "it's $HOME `x` \\\\"}

                """)
    }
}
