/* source of another's entry */
