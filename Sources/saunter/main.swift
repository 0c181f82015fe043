print("saunter")
