import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The routes for the collections of a draft's content library: their items as JSON, so that no editor has to know
/// the files.
struct DraftCollectionRoutes: Sendable {
    let context: ServerContext

    private static let collection = PathParameter.text(
        "collection", "The code of a collection.", example: "quotes")
    private static let item = PathParameter.text("item", "The id of an item.", example: "patience")
    private static let changeProblems: [ProblemType] = [
        .draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded,
    ]

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/draft/collections", who: .member, tag: "Drafts",
            summary: "List the collections of the draft",
            parameters: [.study],
            outcomes: [
                .json(
                    .ok, "The collections, by code.", .page(of: DraftCollection.summarySchema),
                    headers: [Outcome.entityTag])
            ],
            problems: [.armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            let items = try await context.work.run {
                CollectionTable.codes(in: draft.pack, study: draft.study).map { code in
                    DraftCollection(code, of: draft).summary
                }
            }
            let json: JSON = ["items": .array(items), "next": nil]
            return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/draft/collections/{collection}", who: .member, tag: "Drafts",
            summary: "Read a collection of the draft",
            description: """
                All values are texts, as the files have them. A collection with a field of the type `map`, or with \
                files that cannot be read, is not editable here; change its files.
                """,
            parameters: [.study, Self.collection],
            outcomes: [
                .json(.ok, "The collection.", DraftCollection.schema, headers: [Outcome.entityTag])
            ],
            problems: [.armsBlinded]
        ) { call in
            try await reply(context.fetchDraft(call), call)
        }
    }

    var replace: Route {
        Route(
            .put, "/v1/studies/{study}/draft/collections/{collection}", who: .editor, tag: "Drafts",
            summary: "Replace all items of a collection",
            description: """
                The order of the list is the order of the items. Faults of the content do not prevent saving. Needs \
                If-Match.
                """,
            parameters: [.study, Self.collection],
            body: .json(
                .named(
                    "DraftItems",
                    .object([
                        .required(
                            "items",
                            .array(of: DraftCollection.itemSchema, max: ContentCollection.maximumItems),
                            "All items, in their order.")
                    ])), limit: 4 << 20, example: ["items": [DraftCollection.example]]),
            outcomes: [
                .json(.ok, "The changed collection.", DraftCollection.schema, headers: [Outcome.entityTag])
            ],
            problems: Self.changeProblems
        ) { call in
            try await change(call) { table, faults in
                let items = call.body["items"]?.array ?? []
                table.items = items.enumerated().map { index, json in
                    DraftCollection.item(
                        json, id: json["id"]?.string ?? "", "/items/\(index)", table, &faults)
                }
                var seen: Set<String> = []
                for (index, item) in table.items.enumerated() where !seen.insert(item.id).inserted {
                    faults.append(
                        Fault(
                            pointer: "/items/\(index)/id", code: "duplicate",
                            detail: "Another item has the id \(item.id.prefix(60))."))
                }
            }
        }
    }

    var putItem: Route {
        Route(
            .put, "/v1/studies/{study}/draft/collections/{collection}/items/{item}", who: .editor,
            tag: "Drafts", summary: "Add or change an item of a collection",
            description: """
                The item gets exactly these values and words. Without `position`, it keeps its place, and a new item \
                becomes the last one. Faults of the content do not prevent saving. Needs If-Match.
                """,
            parameters: [.study, Self.collection, Self.item],
            body: .json(DraftCollection.newItemSchema, limit: 1 << 20, example: DraftCollection.example),
            outcomes: [
                .json(.ok, "The changed collection.", DraftCollection.schema, headers: [Outcome.entityTag])
            ],
            problems: Self.changeProblems
        ) { call in
            let id = try call.text("item")
            return try await change(call) { table, faults in
                var item = DraftCollection.item(call.body, id: id, "", table, &faults)
                let present = table.items.firstIndex { $0.id == id }
                // Without values or words, as for a change of the position, the item keeps them.
                if let present {
                    if call.body["values"] == nil { item.values = table.items[present].values }
                    if call.body["words"] == nil { item.words = table.items[present].words }
                    table.items.remove(at: present)
                } else if table.items.count >= ContentCollection.maximumItems {
                    faults.append(
                        Fault(
                            pointer: "", code: "too_many",
                            detail: "A collection has at most \(ContentCollection.maximumItems) items."))
                }
                let place = call.body["position"]?.int ?? present ?? table.items.count
                table.items.insert(item, at: min(max(0, place), table.items.count))
            }
        }
    }

    var deleteItem: Route {
        Route(
            .delete, "/v1/studies/{study}/draft/collections/{collection}/items/{item}", who: .editor,
            tag: "Drafts", summary: "Delete an item of a collection",
            description: """
                After the next publication, the item is no longer offered. What refers to it stays readable. Needs \
                If-Match.
                """,
            parameters: [.study, Self.collection, Self.item],
            outcomes: [
                .json(.ok, "The changed collection.", DraftCollection.schema, headers: [Outcome.entityTag])
            ],
            problems: Self.changeProblems
        ) { call in
            let id = try call.text("item")
            return try await change(call) { table, _ in
                let count = table.items.count
                table.items.removeAll { $0.id == id }
                guard table.items.count < count else {
                    throw Problem(.notFound, "The collection has no such item.")
                }
            }
        }
    }

    // MARK: -

    /// Changes the items of the collection in the path, if the caller knows the newest revision of the draft.
    private func change(
        _ call: Call<Identity>, _ body: @Sendable (inout CollectionTable, inout [Fault]) throws -> Void
    ) async throws -> Reply {
        let draft = try await context.fetchDraft(call)
        try call.requireMatch(draft.tag)
        let files = try await context.work.run {
            do {
                var table = try Self.table(of: draft, call)
                guard table.isEditable else {
                    throw Problem(draft: [
                        PackFault(
                            file: DraftCollection.path(table.code, of: draft), line: 1,
                            message: "a collection with a field of the type map is changed in its files")
                    ])
                }
                var faults: [Fault] = []
                try body(&table, &faults)
                guard faults.isEmpty else { throw Faults(faults) }
                return try table.written(to: draft.pack)
            } catch let faults as PackFaults {
                throw Problem(draft: faults.list)
            }
        }
        return try await reply(context.save(files, as: draft, call), call)
    }

    private static func table(of draft: StudyDraft, _ call: Call<Identity>) throws -> CollectionTable {
        let code = try call.text("collection")
        guard
            let table = try CollectionTable(
                code, in: draft.pack, study: draft.study, languages: draft.languages)
        else { throw Problem(.notFound, "The draft has no such collection.") }
        return table
    }

    private func reply(_ draft: StudyDraft, _ call: Call<Identity>) async throws -> Reply {
        let code = try call.text("collection")
        guard CollectionTable.codes(in: draft.pack, study: draft.study).contains(code) else {
            throw Problem(.notFound, "The draft has no such collection.")
        }
        let prefix = DraftCollection.path(code, of: draft).dropLast("yaml".count)
        let faults = try await context.check(draft).faults.filter { $0.file.hasPrefix(prefix) }
        let json = try await context.work.run { DraftCollection(code, of: draft).json(faults) }
        return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
    }
}
