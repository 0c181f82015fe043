print("evaluator")
