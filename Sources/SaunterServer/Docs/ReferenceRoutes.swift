import HTTPTypes
import SaunterCore

/// The contract and its reference page, over the same table of routes that they describe, themselves among them.
package enum ReferenceRoutes {
    /// These routes and, behind them, `/openapi.json`, `/docs` and what belongs to it.
    package static func adding(to routes: [Route], version: String, publicURL: String) throws -> [Route] {
        let outline = routes + own(contract: nil, page: nil, publicURL: publicURL)
        let contract = OpenAPIDocument.json(routes: outline, version: version, publicURL: publicURL)
        let page = try ReferencePage.html(routes: outline, version: version, publicURL: publicURL)
        return routes
            + own(contract: Document(contract.bytes), page: Document(Array(page.utf8)), publicURL: publicURL)
    }

    private struct Document: Sendable {
        let bytes: [UInt8]
        let tag: EntityTag

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            tag = EntityTag(of: bytes)
        }

        func reply(_ contentType: String, headers: HTTPFields = [:]) -> Reply {
            .bytes(bytes, contentType: contentType, headers: headers, entityTag: tag)
        }
    }

    /// Without documents the routes can be described but not served.
    private static func own(contract: Document?, page: Document?, publicURL: String) -> [Route] {
        let style = Document(Array(ReferenceStyle.css.utf8))
        let entityTag = [(name: "ETag", description: "Changes with the server's version.")]
        return [
            Route(
                .get, "/openapi.json", who: .anyone, tag: "Reference",
                summary: "This contract, as OpenAPI 3.1",
                outcomes: [.json(.ok, "The document.", .object([], additional: .any), headers: entityTag)]
            ) { _ in
                guard let contract else { throw Problem(.internalError) }
                return contract.reply("application/json")
            },
            Route(
                .get, "/docs", who: .anyone, tag: "Reference", summary: "This contract, to read",
                outcomes: [
                    .file(.ok, "The page.", contentType: "text/html; charset=utf-8", headers: entityTag)
                ]
            ) { _ in
                guard let page else { throw Problem(.internalError) }
                return page.reply(
                    "text/html; charset=utf-8",
                    headers: [.contentSecurityPolicy: ReferencePage.contentSecurityPolicy])
            },
            Route(
                .get, "/docs/style.css", who: .anyone, tag: "Reference", summary: "How the page looks",
                outcomes: [
                    .file(.ok, "The style sheet.", contentType: "text/css; charset=utf-8", headers: entityTag)
                ]
            ) { _ in style.reply("text/css; charset=utf-8") },
            Route(
                .get, "/problems/{slug}", who: .anyone, tag: "Reference",
                summary: "What a type of problem means",
                description: "The address that stands in a problem's type.",
                parameters: [.code("slug", "The end of the type.", example: "not-found")],
                outcomes: [
                    .empty(
                        .seeOther, "Where it is explained.",
                        headers: [(name: "Location", description: "The place on the reference page.")])
                ]
            ) { call in
                let slug = try call.text("slug")
                guard ProblemType.allCases.contains(where: { $0.slug == slug }) else {
                    throw Problem(.notFound)
                }
                return .empty(.seeOther, headers: [.location: "\(publicURL)/docs#problem-\(slug)"])
            },
        ]
    }
}
