/// Repeating groups: every instance is one pass over the questions of the group, with what stands before the group as
/// it was found.
extension SheetReading {
    mutating func readInstances(_ place: Int) {
        let item = index.nodes[place].item
        let here = at(pointer, item.linkId)
        let value = given[place] ?? .null
        guard shown[place] != false else {
            if ![.null, []].contains(value) { noteCleared(item.linkId) }
            states[item.linkId] = .missing(.notShown)
            return
        }
        guard ![.null, []].contains(value) else {
            if reasonLists[place]?.isEmpty == false { refuseReasons(item) }
            return leaveBlank(item, place)
        }
        guard let elements = value.array else {
            findings[place] = .faulty
            return faults.add(here, "wrong_type", "This group takes a list of its instances.")
        }
        let before = faults.count
        if elements.count > item.mostOccurs {
            faults.add(here, "too_many_answers", "At most \(item.mostOccurs) instances are taken.")
        }
        if let least = item.minOccurs, elements.count < least {
            faults.add(here, "too_few_answers", "At least \(least) instances are needed.")
        }
        if reasons[place] != nil {
            faults.add(
                at(reasonsPointer, item.linkId), "reason_for_answered",
                "The item is answered: no reason belongs here.")
        }
        let instances = readEach(elements.prefix(item.mostOccurs), place)
        if faults.count > before {
            findings[place] = .faulty
        } else {
            findings[place] = .answer(.instances(instances))
            states[item.linkId] = .answered(.instances(instances))
        }
    }

    private mutating func readEach(_ elements: ArraySlice<JSON>, _ place: Int) -> [GroupInstance] {
        let node = index.nodes[place]
        let outer = (pointer, reasonsPointer, states)
        let inner = place + 1..<node.end
        let questions = inner.filter { index.nodes[$0].item.type.isQuestion }
        let lists = reasonLists[place] ?? []
        var instances: [GroupInstance] = []
        if lists.count > elements.count { refuseReasons(node.item) }
        for (number, element) in elements.enumerated() {
            pointer = "\(at(outer.0, node.item.linkId))/\(number)"
            reasonsPointer = "\(at(outer.1, node.item.linkId))/\(number)"
            (states, instance) = ([:], (place, number + 1))
            for place in inner { (given[place], reasons[place], findings[place]) = (nil, nil, .blank) }
            if let object = element.object {
                take(answers: object)
            } else {
                faults.add(pointer, "wrong_type", "An instance is an object with the answers of its group.")
            }
            if number < lists.count {
                if let object = lists[number].object {
                    take(reasons: object)
                } else if !lists[number].isNull {
                    faults.add(reasonsPointer, "wrong_type", "The reasons of an instance are an object.")
                }
            }
            settle(inner)
            if shown[place] == true { checkConstraints(within: place) }
            for place in questions {
                if case .answer(let answer) = findings[place] { repeated[place, default: []].append(answer) }
            }
            instances.append(
                GroupInstance(states: states, questions: questions.map { index.nodes[$0].item.linkId }))
        }
        (pointer, reasonsPointer, states) = outer
        instance = nil
        return instances
    }

    private mutating func refuseReasons(_ item: Item) {
        faults.add(at(reasonsPointer, item.linkId), "too_many_reasons", "There are not so many instances.")
    }
}
