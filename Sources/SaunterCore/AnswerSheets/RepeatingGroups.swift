/// Validates repeating groups. The group's questions are visited once for each instance. The results of the items
/// before the group stay available.
extension AnswerSheetReader {
    /// Validates all instances of the repeating group at this position.
    mutating func readInstances(_ position: Int) {
        let item = index.nodes[position].item
        let groupPointer = at(pointer, item.linkId)
        let value = given[position] ?? .null
        guard shown[position] != false else {
            if ![.null, []].contains(value) { markCleared(item.linkId) }
            states[item.linkId] = .missing(.notShown)
            return
        }
        guard ![.null, []].contains(value) else {
            if reasonLists[position]?.isEmpty == false { rejectSurplusReasons(item) }
            return leaveBlank(item, position)
        }
        guard let elements = value.array else {
            findings[position] = .faulty
            return faults.add(groupPointer, "wrong_type", "This group expects an array of its instances.")
        }
        let before = faults.count
        if elements.count > item.maximumAnswers {
            faults.add(groupPointer, "too_many_answers", "The maximum is \(item.maximumAnswers) instances.")
        }
        if let minimum = item.minOccurs, elements.count < minimum {
            faults.add(groupPointer, "too_few_answers", "The minimum is \(minimum) instances.")
        }
        if reasons[position] != nil {
            faults.add(
                at(reasonsPointer, item.linkId), "reason_for_answered",
                "The item has an answer, so it has no reason.")
        }
        let instances = readEach(elements.prefix(item.maximumAnswers), position)
        if faults.count > before {
            findings[position] = .faulty
        } else {
            findings[position] = .answer(.instances(instances))
            states[item.linkId] = .answered(.instances(instances))
        }
    }

    /// Finds out which items an instance without answers shows.
    /// - Parameter number: the index of the instance.
    mutating func previewInstance(_ number: Int, of position: Int) {
        _ = readEach([.object([:])], position, first: number)
    }

    /// Validates each of these instances of the repeating group at this position.
    /// - Parameter first: the index of the first instance.
    private mutating func readEach(
        _ elements: ArraySlice<JSON>, _ position: Int, first: Int = 0
    ) -> [GroupInstance] {
        let node = index.nodes[position]
        let outer = (pointer, reasonsPointer, states)
        let inner = position + 1..<node.end
        let questions = inner.filter { index.nodes[$0].item.type.isQuestion }
        let lists = reasonLists[position] ?? []
        var instances: [GroupInstance] = []
        if lists.count > elements.count { rejectSurplusReasons(node.item) }
        for (number, element) in zip(first..., elements) {
            pointer = "\(at(outer.0, node.item.linkId))/\(number)"
            reasonsPointer = "\(at(outer.1, node.item.linkId))/\(number)"
            (states, instance) = ([:], (position, number + 1))
            for position in inner {
                (given[position], reasons[position], findings[position]) = (nil, nil, .blank)
            }
            if let object = element.object {
                add(answers: object)
            } else {
                faults.add(
                    pointer, "wrong_type",
                    "An instance must be an object with the answers to the group's questions.")
            }
            if number < lists.count {
                if let object = lists[number].object {
                    add(reasons: object)
                } else if !lists[number].isNull {
                    faults.add(reasonsPointer, "wrong_type", "The reasons of an instance must be an object.")
                }
            }
            resolve(inner)
            for position in inner where shown[position] == false {
                hiddenInInstances.insert(
                    "\(node.item.linkId).\(number).\(index.nodes[position].item.linkId)")
            }
            if shown[position] == true { checkConstraints(repeatingGroup: position) }
            for position in questions {
                if case .answer(let answer) = findings[position] {
                    repeated[position, default: []].append(answer)
                }
            }
            instances.append(
                GroupInstance(states: states, questions: questions.map { index.nodes[$0].item.linkId }))
        }
        (pointer, reasonsPointer, states) = outer
        instance = nil
        return instances
    }

    private mutating func rejectSurplusReasons(_ item: Item) {
        faults.add(
            at(reasonsPointer, item.linkId), "too_many_reasons", "There are more reasons than instances.")
    }
}
