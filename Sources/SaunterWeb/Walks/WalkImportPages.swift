import HTTPTypes
import SaunterCore
import SaunterServer

/// The page that imports walks from a file of a watch or phone. It works without script.
struct WalkImportPages: Sendable {
    let context: PageContext

    var form: Route {
        context.get("/my/{id}/walks/import") { request in
            var request = request
            let participant = try await request.participant()
            return page(participant, request, FormFaults(request.words))
        }
    }

    var send: Route {
        context.upload("/my/{id}/walks/import", limit: BodyRule.walkLimit) { request in
            var request = request
            let participant = try await request.participant()
            var faults = FormFaults(request.words)
            let type = request.call.headers[.contentType] ?? ""
            let file = UploadedFile(field: "file", in: request.call.rawBody, contentType: type)
            guard let file, !file.bytes.isEmpty else {
                faults.add(request.words.text("walk", "choose_file"), field: "file")
                return page(participant, request, faults)
            }
            do {
                let result = try await request.send(
                    .post, "\(participant.resource)/walk-imports", file: file.bytes,
                    headers: [.contentType: "application/octet-stream"]
                ).json
                return page(participant, request, faults, result)
            } catch let problem as Problem where [409, 422].contains(problem.type.status) {
                let details = problem.faults.isEmpty ? [problem.detail ?? ""] : problem.faults.map(\.detail)
                for detail in details {
                    faults.add("\(request.words.text("walk", "import_failed")) \(detail)", field: "file")
                }
                return page(participant, request, faults)
            }
        }
    }

    private func page(
        _ participant: Participant, _ request: PageRequest, _ faults: FormFaults, _ result: JSON? = nil
    ) -> Reply {
        let words = request.words
        var model: [String: Any] = [
            "api": "\(participant.resource)/walk-imports", "home": participant.home,
        ]
        if let result {
            let items = result["items"]?.array ?? []
            func count(_ state: String) -> String {
                String(items.filter { $0["result"]?.string == state }.count)
            }
            let problems = items.compactMap { $0["problem"] }.map {
                $0["errors"]?.array?.first?["detail"]?.string ?? $0["detail"]?.string ?? ""
            }
            let remarks = (result["remarks"]?.array ?? []).compactMap(\.string)
            model["result"] =
                [
                    "text": words.text("walk", "imported", ["count": count("accepted")]),
                    "again": words.text("walk", "imported_before", ["count": count("replayed")]),
                    "has_problems": !problems.isEmpty, "problems": problems,
                    "has_remarks": !remarks.isEmpty, "remarks": remarks,
                ] as [String: Any]
        }
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "walk_import", title: words.text("walk", "import"), model,
            frame: participant.frame(
                words, current: "/walks", back: "\(participant.home)/walks", modules: ["walk"]),
            of: request, status: faults.status)
    }
}
