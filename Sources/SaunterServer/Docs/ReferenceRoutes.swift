import HTTPTypes
import SaunterCore
import Synchronization

/// The routes of the OpenAPI document and the reference page. Both describe all routes, including these.
package enum ReferenceRoutes {
    /// Appends `/openapi.json`, `/docs`, `/docs/style.css`, `/docs/search.js` and `/problems/{slug}` to the routes.
    package static func adding(to routes: [Route], version: String, publicURL: String) -> [Route] {
        let outline =
            routes.filter { !$0.isPage } + documentRoutes(contract: nil, page: nil, publicURL: publicURL)
        let contract = LazyDocument {
            OpenAPIDocument.json(routes: outline, version: version, publicURL: publicURL).bytes
        }
        let page = LazyDocument {
            Array(try ReferencePage.html(routes: outline, version: version, publicURL: publicURL).utf8)
        }
        return routes + documentRoutes(contract: contract, page: page, publicURL: publicURL)
    }

    /// A document that is created when it is first requested, because most servers are never asked for it.
    private final class LazyDocument: Sendable {
        private let create: @Sendable () throws -> [UInt8]
        private let known = Mutex<Document?>(nil)

        init(_ create: @escaping @Sendable () throws -> [UInt8]) { self.create = create }

        /// - Throws: an error of the template engine.
        func document() throws -> Document {
            try known.withLock { known in
                if let known { return known }
                let created = Document(try create())
                known = created
                return created
            }
        }
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

    /// The routes of this file. With nil documents they can be described, but not served.
    private static func documentRoutes(
        contract: LazyDocument?, page: LazyDocument?, publicURL: String
    ) -> [Route] {
        let style = Document(Array(ReferenceStyle.css.utf8))
        let script = Document(Array(ReferenceSearch.script.utf8))
        let entityTag = [(name: "ETag", description: "Changes when the document changes.")]
        return [
            Route(
                .get, "/openapi.json", who: .anyone, tag: "Reference",
                summary: "Get this reference as OpenAPI 3.1",
                outcomes: [
                    .json(
                        .ok, "The document.", .object([], additional: .any),
                        example: ["openapi": "3.1.0", "info": ["title": "Saunter"], "paths": [:]],
                        headers: entityTag)
                ]
            ) { _ in
                guard let contract else { throw Problem(.internalError) }
                return try contract.document().reply("application/json")
            },
            Route(
                .get, "/docs", who: .anyone, tag: "Reference", summary: "Get this reference as HTML",
                outcomes: [
                    .file(
                        .ok, "The page.", contentType: "text/html; charset=utf-8",
                        example: "<!DOCTYPE html>\n", headers: entityTag)
                ]
            ) { _ in
                guard let page else { throw Problem(.internalError) }
                return try page.document().reply(
                    "text/html; charset=utf-8",
                    headers: [.contentSecurityPolicy: ReferencePage.contentSecurityPolicy])
            },
            Route(
                .get, "/docs/style.css", who: .anyone, tag: "Reference",
                summary: "Get the style sheet of the reference",
                outcomes: [
                    .file(
                        .ok, "The style sheet.", contentType: "text/css; charset=utf-8",
                        example: "body { margin: 0; }\n", headers: entityTag)
                ]
            ) { _ in style.reply("text/css; charset=utf-8") },
            Route(
                .get, "/docs/search.js", who: .anyone, tag: "Reference",
                summary: "Get the script of the reference, which runs its search box",
                outcomes: [
                    .file(
                        .ok, "The script.", contentType: "text/javascript; charset=utf-8",
                        example: "const form = document.getElementById(\"search\");\n", headers: entityTag)
                ]
            ) { _ in script.reply("text/javascript; charset=utf-8") },
            Route(
                .get, "/problems/{slug}", who: .anyone, tag: "Reference",
                summary: "Explain a problem type",
                description: "The address in the type of a problem document.",
                parameters: [.code("slug", "The last part of the type.", example: "not-found")],
                outcomes: [
                    .empty(
                        .seeOther, "The explanation is on the reference page.",
                        headers: [(name: "Location", description: "The address of the explanation.")])
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
