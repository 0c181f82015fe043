import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages with the collections of a draft's content library: a list, the items of one collection, and the form of
/// one item. They work without script.
struct CollectionPages: Sendable {
    /// A page of a collection has this many items.
    private static let itemsPerPage = 100

    let context: PageContext

    // MARK: Lists

    var collections: Route {
        context.get("/staff/{study}/draft/collections") { request in
            let visit = try await DraftVisit(request)
            let list = try await request.get("\(visit.address.resource)/collections")
            var model: [String: Any] = ["steps": visit.steps("collections")]
            let entries = (list["items"]?.array ?? []).map { entry -> [String: Any] in
                let code = entry["collection"]?.string ?? ""
                let count = entry["items"]?.int ?? 0
                return [
                    "address": Self.address(visit, code),
                    "title": Self.title(entry, request.words.code) ?? code, "code": code,
                    "count": request.words.text(
                        "collections", count == 1 ? "items_one" : "items_other", ["count": String(count)]),
                ]
            }
            model["collections"] = entries
            model["is_empty"] = entries.isEmpty
            return page("staff_collections", "step_collections", model, visit, .ok)
        }
    }

    var collection: Route {
        context.get("/staff/{study}/draft/collections/{collection}", query: ["from", "notice"]) { request in
            let visit = try await DraftVisit(request)
            return try await listPage(visit, FormFaults(request.words))
        }
    }

    private func listPage(_ visit: DraftVisit, _ faults: FormFaults) async throws -> Reply {
        let request = visit.request
        let code = try request.path("collection")
        let view = CollectionView(try await Self.fetch(code, visit), visit)
        let count = view.items.count
        let from = min(max(0, Int(request.call.query("from") ?? "") ?? 0), max(0, count - 1))
        let to = min(count, from + Self.itemsPerPage)
        var model = faults.model
        model["address"] = Self.address(visit, code)
        model["steps"] = visit.steps("collections")
        model["revision"] = String(view.revision)
        model["code"] = code
        model["file"] = visit.address.file(view.file)
        model["faults_found"] = view.faults
        model["has_faults"] = !view.faults.isEmpty
        model["is_empty"] = count == 0
        model["from"] = String(from)
        if visit.isEditor && view.isEditable { model["editor"] = true }
        if !view.isEditable { model["read_only"] = true }
        model["rows"] = view.items[from..<to].enumerated().map { offset, item -> [String: Any] in
            let index = from + offset
            var row: [String: Any] = [
                "number": String(index + 1), "id": item.id, "text": item.excerpt(request.words.code),
                "link": Self.address(visit, code, item.id),
            ]
            if index > 0 { row["up"] = ["position": String(index - 1)] }
            if index + 1 < count { row["down"] = ["position": String(index + 1)] }
            return row
        }
        if from > 0 {
            model["earlier"] = "\(Self.address(visit, code))?from=\(max(0, from - Self.itemsPerPage))"
        }
        if to < count { model["later"] = "\(Self.address(visit, code))?from=\(to)" }
        if let notice = request.call.query("notice"), ["saved", "deleted", "moved"].contains(notice) {
            model["notice"] = request.words.text("collections", "notice_\(notice)")
        }
        return page(
            "staff_collection", title: view.title(request.words.code) ?? code, model, visit, faults.status,
            below: [])
    }

    /// Moves an item to another place.
    var move: Route {
        context.post("/staff/{study}/draft/collections/{collection}/move") { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let code = try request.path("collection")
            var faults = FormFaults(request.words)
            do {
                try await request.send(
                    .put, Self.resource(visit, code, request.field("item")),
                    ["position": .int(Int(request.field("position")) ?? 0)],
                    headers: DraftAddress.headers(revision: Int(request.field("revision")) ?? 0))
                let from = Int(request.field("from")) ?? 0
                return PageRenderer.redirect("\(Self.address(visit, code))?from=\(from)&notice=moved")
            } catch let problem as Problem where problem.type.status == 412 {
                faults.add(request.words.text("collections", "fault_moved"), field: nil)
            } catch let problem as Problem where [413, 422].contains(problem.type.status) {
                for line in problem.lines { faults.add(line, field: nil) }
            }
            return try await listPage(visit, faults)
        }
    }

    // MARK: One item

    var item: Route {
        context.get("/staff/{study}/draft/collections/{collection}/{item}", query: ["notice"]) { request in
            let visit = try await DraftVisit(request)
            let view = CollectionView(try await Self.fetch(request.path("collection"), visit), visit)
            let id = try request.path("item")
            guard let item = view.item(id) else { throw Problem(.notFound) }
            return itemPage(visit, view, item, isNew: false, FormFaults(request.words))
        }
    }

    var newItem: Route {
        context.get("/staff/{study}/draft/collections/{collection}/items/new") { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let view = CollectionView(try await Self.fetch(request.path("collection"), visit), visit)
            return itemPage(visit, view, CollectionView.Item(), isNew: true, FormFaults(request.words))
        }
    }

    /// Saves an item. If another editor changed it in the meantime, the page shows both.
    var save: Route {
        context.post(
            "/staff/{study}/draft/collections/{collection}/items/save", limit: DraftLimits.textForm,
            maximumLength: DraftLimits.textLength
        ) { request in
            try await DraftForm.handle(request, context.renderer) { form in try await saved(&form) }
        }
    }

    private func saved(_ form: inout DraftForm) async throws -> Reply {
        let request = form.visit.request
        let code = try request.path("collection")
        var isNew = request.field("is_new") == "1"
        var typed = CollectionView.Item(form: request.call.body)
        typed.id = typed.id.filter { !$0.isWhitespace }
        var view = CollectionView(try await Self.fetch(code, form.visit), form.visit)
        var now: CollectionView.Item?
        let reply = try await form.save { form in
            if view.revision != form.visit.view.revision {
                view = CollectionView(try await Self.fetch(code, form.visit), form.visit)
            }
            let present = view.item(typed.id)
            if typed.id.isEmpty {
                form.faults.add(request.words.text("collections", "fault_id"), field: "id")
            } else if isNew, present != nil {
                form.faults.add(
                    request.words.text("collections", "fault_taken", ["id": typed.id]), field: "id")
            } else if !isNew, present?.digest != request.field("digest") {
                let fault = present == nil ? "fault_removed" : "fault_changed"
                form.faults.add(request.words.text("collections", fault), field: nil)
                (now, isNew) = (present, present == nil)
            }
            guard form.faults.isEmpty else { return nil }
            try await request.send(
                .put, Self.resource(form.visit, code, typed.id), typed.json,
                headers: DraftAddress.headers(revision: view.revision))
            return "\(Self.address(form.visit, code))?notice=saved"
        }
        if let reply { return reply }
        return itemPage(form.visit, view, typed, isNew: isNew, form.faults, now: now)
    }

    var delete: Route {
        context.post("/staff/{study}/draft/collections/{collection}/items/delete") { request in
            let visit = try await DraftVisit(request)
            try visit.requireEditor()
            let code = try request.path("collection")
            let id = request.field("id")
            var faults = FormFaults(request.words)
            do {
                try await request.send(
                    .delete, Self.resource(visit, code, id),
                    headers: DraftAddress.headers(revision: Int(request.field("revision")) ?? 0))
            } catch let problem as Problem where problem.type.status == 412 {
                faults.add(request.words.text("collections", "fault_deleted"), field: nil)
                return try await listPage(visit, faults)
            } catch let problem as Problem where problem.type == .notFound {
                // Another editor deleted it.
            }
            return PageRenderer.redirect("\(Self.address(visit, code))?notice=deleted")
        }
    }

    /// - Parameter now: the item of the draft, if another editor changed it.
    private func itemPage(
        _ visit: DraftVisit, _ view: CollectionView, _ item: CollectionView.Item, isNew: Bool,
        _ faults: FormFaults, now: CollectionView.Item? = nil
    ) -> Reply {
        let request = visit.request
        var model = faults.model
        let list = Self.address(visit, view.code)
        model["list"] = list
        model["steps"] = visit.steps("collections")
        model["save"] = "\(list)/items/save"
        model["delete"] = "\(list)/items/delete"
        model["revision"] = String(view.revision)
        model["digest"] = (now ?? view.item(item.id))?.digest ?? ""
        model["id"] = item.id
        model["upload"] =
            visit.address.page("file/upload") + "?path="
            + PageAddress.encode("studies/\(visit.study)/library/media/")
        if isNew { model["is_new"] = true } else { model["exists"] = true }
        if visit.isEditor && view.isEditable { model["editor"] = true }
        model["groups"] = view.fields.map { field -> [String: Any] in
            [
                "title": CollectionView.title(of: field, request.words),
                "fields": view.inputs(field, item, now, request.words),
            ]
        }
        model["own"] = ["tags", "arms", "entitlement"].map { column -> [String: Any] in
            [
                "id": "v-\(column)", "name": "value:\(column)", "value": item.values[column] ?? "",
                "title": request.words.text("collections", column),
                "hint": request.words.text("collections", "\(column)_hint"),
            ]
        }
        let title =
            isNew
            ? request.words.text("collections", "new")
            : "\(view.title(request.words.code) ?? view.code) › \(item.id)"
        return page(
            "staff_collection_item", title: title, model, visit, faults.status,
            below: [PageFrame.Link(title: view.title(request.words.code) ?? view.code, address: list)])
    }

    // MARK: -

    private static func fetch(_ code: String, _ visit: DraftVisit) async throws -> JSON {
        try await visit.request.get(resource(visit, code))
    }

    private static func resource(_ visit: DraftVisit, _ code: String, _ item: String? = nil) -> String {
        let collection = "\(visit.address.resource)/collections/\(PageAddress.encodePart(code))"
        return item.map { "\(collection)/items/\(PageAddress.encodePart($0))" } ?? collection
    }

    private static func address(_ visit: DraftVisit, _ code: String, _ item: String? = nil) -> String {
        let collection = "\(visit.address.page("collections"))/\(PageAddress.encodePart(code))"
        return item.map { "\(collection)/\(PageAddress.encodePart($0))" } ?? collection
    }

    private static func title(_ collection: JSON, _ language: String) -> String? {
        let titles = collection["title"]?.object
        return titles?[language]?.string ?? titles?.map(\.value).first?.string
    }

    private func page(
        _ template: String, _ word: String, _ model: [String: Any], _ visit: DraftVisit,
        _ status: HTTPResponse.Status
    ) -> Reply {
        page(template, title: visit.request.words.text("draft", word), model, visit, status)
    }

    /// - Parameter below: the pages between the list of the collections and this page; nil for the list itself.
    private func page(
        _ template: String, title: String, _ model: [String: Any], _ visit: DraftVisit,
        _ status: HTTPResponse.Status, below: [PageFrame.Link]? = nil
    ) -> Reply {
        var frame = visit.frame(isBelow: true)
        if let below {
            let list = PageFrame.Link(
                title: visit.request.words.text("draft", "step_collections"),
                address: visit.address.page("collections"))
            frame.breadcrumb += [list] + below
        }
        return context.renderer.page(
            template, title: title, model, frame: frame, of: visit.request, status: status)
    }
}
