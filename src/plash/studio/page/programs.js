// Programs of the graphics card, and what they are fed with.

export function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

export function attribute(gl, owner, name, size, type, normalized) {
  const at = gl.getAttribLocation(owner, name);
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, size, type, normalized, 0, 0);
}
