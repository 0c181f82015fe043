extension StudyCheck {
    /// Checks that the allocation has everything that its method needs, and nothing that the method ignores.
    mutating func checkAllocation() {
        let allocation = study.allocation
        if allocation.usesBlocks {
            checkBlocks()
        } else if !allocation.blockSizes.isEmpty {
            rejectUnused("/allocation/block_sizes", "Only methods with blocks use block sizes.")
        }
        if allocation.isBlinded, study.arms.count < 2 {
            rejectUnused("/allocation/blinded", "A study with one arm has no arms to hide.")
        }
        if allocation.usesFactors {
            checkFactors()
        } else if !allocation.factors.isEmpty {
            rejectUnused("/allocation/factors", "The method \(allocation.method.rawValue) uses no factors.")
        }
        if allocation.method == .minimisation {
            checkMinimisation()
        } else if allocation.probability != nil {
            rejectUnused("/allocation/probability", "Only minimisation uses a probability.")
        }
    }

    private mutating func rejectUnused(_ pointer: String, _ detail: String) {
        faults.add(pointer, "not_used", detail)
    }

    private mutating func checkBlocks() {
        let pointer = "/allocation/block_sizes"
        let ratioSum = study.arms.reduce(0) { $0 + min(max($1.ratio, 0), 100) }
        if study.allocation.blockSizes.isEmpty {
            faults.add(pointer, "required", "Methods with blocks need at least one block size.")
        }
        for (index, size) in study.allocation.blockSizes.enumerated() {
            if !(1...BlockAllocator.maximumBlockSize).contains(size) {
                faults.add(
                    "\(pointer)/\(index)", "out_of_range",
                    "A block size is 1 to \(BlockAllocator.maximumBlockSize).")
            } else if ratioSum > 0, size % ratioSum != 0 {
                faults.add(
                    "\(pointer)/\(index)", "not_a_multiple",
                    "A block size must be a multiple of the sum of ratios, \(ratioSum).")
            }
        }
    }

    private static let maximumStrata = 1000
    private static let maximumLevels = 50

    private mutating func checkFactors() {
        let factors = study.allocation.factors
        if factors.isEmpty {
            faults.add(
                "/allocation/factors", "required",
                "The method \(study.allocation.method.rawValue) needs at least one factor.")
        }
        if factors.count > Minimiser.maximumFactors {
            faults.add(
                "/allocation/factors", "too_many", "A study has at most \(Minimiser.maximumFactors) factors.")
        }
        var seen: Set<String> = []
        var strata = 1
        for (index, factor) in factors.enumerated() {
            let pointer = "/allocation/factors/\(index)"
            checkName(factor.code, "\(pointer)/code", &seen)
            if !(2...Self.maximumLevels).contains(factor.levels.count) {
                faults.add(
                    "\(pointer)/levels", "out_of_range", "A factor has 2 to \(Self.maximumLevels) levels.")
            }
            var levels: Set<String> = []
            for (position, level) in factor.levels.enumerated() {
                checkName(level, "\(pointer)/levels/\(position)", &levels)
            }
            if !(1...Minimiser.maximumWeight).contains(factor.weight) {
                faults.add(
                    "\(pointer)/weight", "out_of_range",
                    "A weight is a whole number from 1 to \(Minimiser.maximumWeight).")
            } else if factor.weight != 1, study.allocation.method != .minimisation {
                rejectUnused("\(pointer)/weight", "Only minimisation uses weights.")
            }
            strata = min(
                strata * min(max(factor.levels.count, 1), Self.maximumStrata), Self.maximumStrata + 1)
        }
        if study.allocation.method == .stratifiedBlocks, strata > Self.maximumStrata {
            faults.add(
                "/allocation/factors", "too_many_strata",
                "The factors make more than \(Self.maximumStrata) strata. Most would have one participant.")
        }
    }

    private mutating func checkName(_ name: String, _ pointer: String, _ seen: inout Set<String>) {
        if !Self.isIdentifier(name) { faults.add(pointer, "invalid_name", Self.identifierRule) }
        if !seen.insert(name).inserted { faults.add(pointer, "duplicate", "The list already has this name.") }
    }

    private mutating func checkMinimisation() {
        let pointer = "/allocation/probability"
        if let probability = study.allocation.probability {
            let even = 1 / Double(max(study.arms.count, 1))
            if !(probability > even && probability <= 1) && study.arms.count > 1 {
                faults.add(
                    pointer, "out_of_range",
                    "The probability must be greater than 1 / number of arms, and at most 1.")
            }
        } else {
            faults.add(pointer, "required", "Minimisation needs the probability of the best arm.")
        }
        if Minimiser.commonMultiple(of: study.arms.map { min(max($0.ratio, 1), 100) }) == nil {
            faults.add(
                "/arms", "out_of_range",
                "The least common multiple of the ratios is larger than \(Minimiser.maximumMultiple).")
        }
    }
}
