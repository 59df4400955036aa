def run(H, p, log, quality, seed, limit, row):
    return row.run(H, p, log)
