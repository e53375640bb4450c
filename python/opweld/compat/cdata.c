/* Capsules for pointers of C's; opweld.compat.cdata writes this into modules. A capsule's context is what frees its
   pointer, or NULL. */

#section support_code
static void opweld_capsule_free(PyObject *capsule) {
    void (*release)(void *) = (void (*)(void *))PyCapsule_GetContext(capsule);
    if (release != NULL) release(PyCapsule_GetPointer(capsule, NULL));
}

static inline PyObject *opweld_capsule_of(void *pointer, void *release) {
    PyObject *made;
    if (pointer == NULL) Py_RETURN_NONE;
    made = PyCapsule_New(pointer, NULL, opweld_capsule_free);
    if (made == NULL || PyCapsule_SetContext(made, release) == 0) return made;
    Py_DECREF(made);  /* without a context it frees nothing */
    return NULL;
}
